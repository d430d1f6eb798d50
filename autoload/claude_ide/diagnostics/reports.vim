vim9script
# Reports to the host which files' diagnostics have changed. No event of a source says of which file, so
# what differs from the last report is reported.

import autoload '../channel.vim'
import autoload '../checking/texts.vim'
import autoload '../file/uri.vim'
import autoload '../privacy.vim'
import autoload './files.vim'
import autoload './reading.vim'
import autoload './sets.vim'

# Of one notification, which is a single message.
const LIMIT = 1000
# From this number on, they are not read while the user types.
const MANY = 500
# Milliseconds.
const INTERVAL = 100
const PAUSE = 1

var is_on = false
var is_due = false
var is_postponed = false
# By path: the sets that were reported last.
var reported: dict<list<dict<any>>> = {}
var latest: dict<number> = {} # by path: number of the last report

def IsTyping(): bool
  return mode() =~# '^[iR]'
enddef

def Count(path: string): number
  return sets.Of(path)->mapnew((_, set) => len(set.entries))->reduce((sum, count) => sum + count, 0)
enddef

# Read all diagnostics of a file, with pauses between the steps, and report them. A newer report
# replaces one that is still being read.
def Report(path: string)
  const number = get(latest, path, 0) + 1
  latest[path] = number
  const Step = reading.New([path], LIMIT)
  final changed: dict<any> = {uri: uri.OfPath(path), items: [], omitted: 0}
  def Continue(_: any)
    if !is_on || get(latest, path, 0) != number
      return
    endif
    final step: dict<any> = Step()
    for part in step.parts
      changed.items->extend(part.items)
      changed.omitted += part.omitted
    endfor
    if step.done
      channel.Emit('diagnostics_changed', changed)
    else
      timer_start(PAUSE, Continue)
    endif
  enddef
  Continue(0)
enddef

# Sets that hold the same stay the same (`sets.vim`).
def IsSame(before: list<dict<any>>, now: list<dict<any>>): bool
  if len(before) != len(now)
    return false
  endif
  for index in range(len(now))
    if before[index] isnot now[index]
      return false
    endif
  endfor
  return true
enddef

def Changed(): list<string>
  return (sets.Paths() + keys(reported))->sort()->uniq()->filter((_, path) =>
    files.IsReported(path) && !IsSame(get(reported, path, []), sets.Of(path)))
enddef

def Look(_: number)
  is_due = false
  if !is_on
    return
  endif
  sets.Renew()
  for path in Changed()
    if IsTyping() && Count(path) >= MANY
      is_postponed = true
    else
      final now = sets.Of(path)
      reported[path] = now
      if empty(now)
        remove(reported, path)
      endif
      Report(path)
    endif
  endfor
enddef

# Something may have changed.
def LookSoon()
  if is_on && !is_due
    is_due = true
    timer_start(INTERVAL, Look)
  endif
enddef

# Only for this module: the user has left Insert mode.
export def OnInsertLeave()
  if is_postponed
    is_postponed = false
    LookSoon()
  endif
enddef

# The host forgets the diagnostics that it would answer while Vim is busy.
def OnPrivacyChanged()
  if is_on
    reported = {}
    LookSoon()
  endif
enddef

# Start or stop to report.
export def Watch(on: bool)
  is_on = on
  [is_postponed, reported, latest] = [false, {}, {}]
  augroup claude_ide_diagnostics
    autocmd!
    if on
      autocmd InsertLeave * OnInsertLeave()
    endif
  augroup END
  if on
    texts.Watch(LookSoon)
    LookSoon()
  else
    texts.Watch()
  endif
enddef

privacy.Subscribe(OnPrivacyChanged)

defcompile
