vim9script
# The answers that are expected for a buffer's new text from the sources that check it.

import autoload './sources.vim'
import autoload './answer_time.vim'

# Milliseconds. An answer that comes earlier belongs to the previous text, if that is not answered yet.
const IN_FLIGHT = 1500.0
const EARLY = 300.0

# By buffer: `began`, and by source what is `awaited`: its mark before the change (`sources.vim`), the
# `patience` with it, and the `earliest` time of an answer, both in milliseconds.
var expected: dict<dict<any>> = {}

# It sends a text to the server again when a window shows it.
const CHECKS_SHOWN = 'yegappan_lsp'
# By buffer, when a window has shown it last: `since`, and the `mark` of this source then.
var shown: dict<dict<any>> = {}

# Milliseconds since a time of `reltime()`.
export def MsSince(time: list<number>): float
  return reltimefloat(reltime(time)) * 1000
enddef

# Milliseconds since the buffer got its text.
export def Age(bufnr: number): float
  return MsSince(expected[bufnr].began)
enddef

# A window shows a buffer.
export def NoteShown(bufnr: number)
  if sources.Ask(CHECKS_SHOWN, 'IsThere', [], false) && sources.Ask(CHECKS_SHOWN, 'Checks', [bufnr], false)
    shown[bufnr] = {since: reltime(), mark: sources.Ask(CHECKS_SHOWN, 'Mark', [bufnr], 0)}
  endif
enddef

def IsShownChecked(bufnr: number): bool
  const one = get(shown, bufnr, {})
  return empty(one) || MsSince(one.since) >= IN_FLIGHT
    || sources.Ask(CHECKS_SHOWN, 'HasAnswered', [bufnr, one.mark], true)
enddef

# The sources that have not answered the previous text yet, but probably will.
def InFlight(bufnr: number): list<string>
  return (IsPending(bufnr) && Age(bufnr) < IN_FLIGHT ? keys(expected[bufnr].awaited) : [])
    + (IsShownChecked(bufnr) ? [] : [CHECKS_SHOWN])
enddef

# A buffer has just got a new text: expect answers.
export def Begin(bufnr: number)
  const in_flight = InFlight(bufnr)
  var awaited: dict<dict<any>> = {}
  for source in sources.OfBuffer(bufnr)
    awaited[source] = {
      mark: sources.Ask(source, 'Mark', [bufnr], 0),
      patience: answer_time.Of(source),
      earliest: in_flight->index(source) >= 0 ? answer_time.Earliest(source, EARLY) : 0.0,
    }
  endfor
  expected[bufnr] = {began: reltime(), awaited: awaited}
enddef

# Whether answers for a buffer have been expected.
export def IsKnown(bufnr: number): bool
  return has_key(expected, bufnr)
enddef

# Stop waiting for a source that has answered, or has not in time.
def Settle(bufnr: number, source: string)
  final awaited: dict<dict<any>> = expected[bufnr].awaited
  final one: dict<any> = awaited[source]
  const age = Age(bufnr)
  const has_answered: bool = sources.Ask(source, 'HasAnswered', [bufnr, one.mark], true)
  const earliest: float = one.earliest
  if has_answered && age < earliest
    one.mark = sources.Ask(source, 'Mark', [bufnr], 0)
  elseif has_answered
    answer_time.Answered(source, age)
    remove(awaited, source)
  elseif age > one.patience
    answer_time.TimedOut(source)
    remove(awaited, source)
  endif
enddef

# Whether a source has yet to answer for a buffer.
export def IsPending(bufnr: number): bool
  if !has_key(expected, bufnr)
    return false
  elseif !bufloaded(bufnr)
    remove(expected, bufnr)
    return false
  endif
  for source in keys(expected[bufnr].awaited)
    Settle(bufnr, source)
  endfor
  return !empty(expected[bufnr].awaited)
enddef

# The buffers whose answers are expected.
export def Buffers(): list<number>
  return keys(expected)->mapnew((_, key) => str2nr(key))
enddef

# Stop waiting for a buffer's answers: they have not come in time.
export def Abandon(bufnr: number)
  if has_key(expected, bufnr)
    for source in keys(expected[bufnr].awaited)
      answer_time.TimedOut(source)
    endfor
    expected[bufnr].awaited = {}
  endif
enddef

defcompile
