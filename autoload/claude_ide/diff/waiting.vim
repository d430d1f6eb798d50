vim9script
# Edits that wait until the user can be taken elsewhere, and the message that names them.

import autoload '../messages/announce.vim'
import autoload '../messages/message.vim'
import autoload '../timing/moment.vim'

const POLL_MS = 100
const MENTION_SECONDS = 3.0

final entries: list<dict<any>> = [] # {what, since, is_mentioned}, oldest first
var held = 0 # how many entries the user is holding back
var is_polling = false

def SetCount(count: number)
  if count != held
    held = count
    claude_ide#status#Report('held', held)
    announce.Event('ClaudeWaiting', {count: count})
  endif
enddef

# Name what waits in one message. Notifications are often narrow and cut off: it comes first.
def Mention(remedy: string)
  const due = entries->indexof((_, entry) => !entry.is_mentioned
    && reltimefloat(reltime(entry.since)) >= MENTION_SECONDS)
  if due >= 0 && moment.CanNotify()
    const waits = len(entries) > 1 ? $'and {len(entries) - 1} more wait' : 'waits'
    message.Show($'{entries[due].what} {waits}: {remedy}', 'info')
    for entry in entries
      entry.is_mentioned = true
    endfor
  endif
enddef

# Each poll schedules the next: at a fixed rate, polls would pile up while Vim is busy.
def Poll(_: number)
  is_polling = !empty(entries)
  if is_polling
    timer_start(POLL_MS, Poll)
  endif
  const remedy = is_polling ? moment.Obstacle() : ''
  SetCount(remedy !=# '' ? len(entries) : 0)
  if remedy !=# ''
    Mention(remedy)
  endif
enddef

def Remove(entry: dict<any>)
  entries->filter((_, other) => other isnot entry)
  SetCount(min([held, len(entries)]))
enddef

# The gate for what the user will see, such as "plan", and which takes them elsewhere (`moment.WhenFree`). After
# three seconds one message says what it waits for.
export def When(what: string): func
  return (Fn, OnError) => {
    final entry = {what: what, since: reltime(), is_mentioned: false}
    add(entries, entry)
    if !is_polling
      is_polling = true
      timer_start(0, Poll)
    endif
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
  }
enddef

defcompile
