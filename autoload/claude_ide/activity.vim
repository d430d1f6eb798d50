vim9script
# What agents do, for the status line: the CLIs in terminals. It also knows when anything that a
# status line shows has changed.

var sources: dict<dict<any>> = {} # by the id of a terminal
var latest = '' # the source that was last active
var on_change: list<func()> = []
var is_due = false
var version = 0

# Call `Fn` soon after something has changed.
export def OnChange(Fn: func())
  on_change->add(Fn)
enddef

# Something that a status line shows may have changed. Many changes at once are one.
export def Changed()
  version += 1
  if !is_due
    is_due = true
    timer_start(0, (_) => {
      is_due = false
      for Fn in on_change
        Fn()
      endfor
    })
  endif
enddef

# How often something has changed.
export def Version(): number
  return version
enddef

# Called by the host with what the agent of a source does: `is_working`, and what is known of its
# `model`, its `context` (percentage) and its `cost` (dollars).
export def Set(source: string, does: dict<any>): bool
  if get(sources, source, {}) == does
    return true
  endif
  sources[source] = does
  if does.is_working || has_key(does, 'model')
    latest = source
  endif
  Changed()
  return true
enddef

# Called by the host when the agent of a source has ended.
export def Remove(source: string): bool
  if has_key(sources, source)
    sources->remove(source)
    latest = latest !=# source ? latest : get(keys(sources), 0, '')
    Changed()
  endif
  return true
enddef

# The host has ended, so agents report nothing.
export def Clear()
  sources = {}
  latest = ''
  Changed()
enddef

# Whether any agent is working.
export def IsWorking(): bool
  return values(sources)->indexof((_, does) => does.is_working) >= 0
enddef

# The figures of the agent that was last active.
export def Figures(): dict<any>
  return get(sources, latest, {})
enddef

defcompile
