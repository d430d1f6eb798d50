vim9script
# Edits that wait until the user can be taken elsewhere, and the message that names them.

import autoload '../messages/announce.vim'
import autoload '../messages/message.vim'
import autoload '../status_line.vim'
import autoload '../timing/moment.vim'

const POLL = 100 # milliseconds
const PATIENCE = 3.0 # seconds

final entries: list<dict<any>> = [] # {what, since, is_mentioned}, oldest first
var held = 0 # how many entries the user is holding back
var is_polling = false

def SetCount(count: number)
  if count != held
    held = count
    status_line.Report('held', held)
    announce.Event('ClaudeWaiting', {count: count})
  endif
enddef

# Notifications are often narrow and cut off: what waits comes first.
def Sentence(remedy: string, what: string): string
  const waits = len(entries) > 1 ? $'and {len(entries) - 1} more wait' : 'waits'
  return $'{what} {waits}: {remedy}'
enddef

def IsDue(entry: dict<any>): bool
  return !entry.is_mentioned && reltimefloat(reltime(entry.since)) >= PATIENCE
enddef

def Mention(remedy: string)
  const due = entries->indexof((_, entry) => IsDue(entry))
  if due >= 0 && moment.CanNotify()
    message.Show(Sentence(remedy, entries[due].what), 'info')
    for entry in entries
      entry.is_mentioned = true
    endfor
  endif
enddef

# Each poll schedules the next: at a fixed rate, polls would pile up while Vim is busy.
def Poll(_: number)
  is_polling = !empty(entries)
  if is_polling
    timer_start(POLL, Poll)
  endif
  const remedy = is_polling ? moment.Obstacle() : ''
  SetCount(remedy !=# '' ? len(entries) : 0)
  if remedy !=# ''
    Mention(remedy)
  endif
enddef

def Add(what: string): dict<any>
  final entry = {what: what, since: reltime(), is_mentioned: false}
  add(entries, entry)
  if !is_polling
    is_polling = true
    timer_start(0, Poll)
  endif
  return entry
enddef

def Remove(entry: dict<any>)
  const index = entries->indexof((_, other) => other is entry)
  if index >= 0
    remove(entries, index)
  endif
  SetCount(min([held, len(entries)]))
enddef

# Call `Fn` at the next moment when the user may be taken elsewhere (`moment.WhenFree`). After three
# seconds one message says what it waits for. `what` is what the user will see, such as "plan".
# `OnError` gets the reason if `Fn` throws. Returns a function that cancels this.
export def WhenFree(what: string, Fn: func, OnError: func): func
  final entry = Add(what)
  const Cancel = moment.WhenFree(() => {
    # Before the entry is removed: Vim may refuse, and then this is tried again.
    call(Fn, [])
    Remove(entry)
  }, (reason) => {
    Remove(entry)
    call(OnError, [reason])
  })
  return () => {
    call(Cancel, [])
    Remove(entry)
  }
enddef

defcompile
