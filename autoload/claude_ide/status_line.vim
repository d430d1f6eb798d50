vim9script
# The text for a status line. The host composes it (`status_line.py`) from what is reported here, and from
# what it knows itself.

import autoload './channel.vim'
import autoload './messages/announce.vim'
import autoload './messages/screen.vim'

var text = ''
var limits: list<dict<any>> = []
final facts: dict<any> = {} # the fields of `StatusReported`
var is_due = false

def Emit(_: number)
  is_due = false
  channel.Emit('status_reported', facts)
enddef

# Report a fact. Many changes at once are one.
export def Report(name: string, value: any)
  if has_key(facts, name) && facts[name] == value
    return
  endif
  facts[name] = value
  if !is_due
    is_due = true
    timer_start(0, Emit)
  endif
enddef

# Called by the host with another text: redraw the status lines, and announce it.
export def Set(given: dict<any>): bool
  # A text crosses as lines (`editor/vim.py`).
  const shown: string = given.text->join('')
  if shown !=# text
    text = shown
    screen.DrawStatusLines()
    announce.Event('ClaudeStatusChanged', given->extendnew({text: text}))
  endif
  return true
enddef

# Called by the host with other limits: announce them.
export def SetLimits(given: list<dict<any>>): bool
  limits = given
  announce.Event('ClaudeLimits', {limits: Limits()})
  return true
enddef

# What is known of the limits of the user's plan.
export def Limits(): list<dict<any>>
  return deepcopy(limits)
enddef

# The host has ended: nothing is known any more.
export def Clear()
  if !empty(limits)
    SetLimits([])
  endif
  Set({state: 'off', text: []})
enddef

# The text; empty while there is nothing to show.
export def Text(): string
  return text
enddef

defcompile
