vim9script
scriptencoding utf-8
# One-off requests to the CLI: sent to the host, and answered exactly once.

import autoload './channel.vim'
import autoload './host.vim'
import autoload './messages/message.vim'
import autoload './messages/plain.vim'
import autoload './messages/reason.vim'
import autoload './messages/screen.vim'
import autoload './timing/moment.vim'

export const CANCELLED = 'cancelled'

export const HOST_ENDED = 'the Python host has ended'

# By id: the `kind`, the answer so far (`text`, lines), and the functions that follow it.
var questions: dict<dict<any>> = {}
var last_id = 0

const NOTE = 'claude_ide_note' # a type of text property

# Words behind a line that say what Claude does with it. They stay with the line when it moves.

def RemoveNote(note: dict<any>)
  if has_key(note, 'id') && bufloaded(note.bufnr)
    prop_remove({id: remove(note, 'id'), bufnr: note.bufnr, type: NOTE, both: true, all: true})
    screen.Draw()
  endif
enddef

# Show or replace a note. It is text within the line, at its end: with text that is aligned after the
# line, Vim shows only "@" from a line on that has filler lines of a diff above it.
def ShowNote(note: dict<any>, progress: string)
  const bufnr: number = note.bufnr
  if note.lnum == 0 || !bufloaded(bufnr)
    return
  elseif empty(prop_type_get(NOTE))
    prop_type_add(NOTE, {highlight: hlexists('Comment') ? 'Comment' : 'NonText'})
  endif
  const shown = has_key(note, 'id')
    ? prop_list(1, {bufnr: bufnr, end_lnum: -1, types: [NOTE], ids: [note.id]}) : []
  note.lnum = empty(shown) ? note.lnum : shown[0].lnum
  RemoveNote(note)
  const lnum = max([1, min([note.lnum, getbufinfo(bufnr)[0].linecount])])
  const words = progress ==# '' ? '…' : $' ({progress})'
  note.id = prop_add(lnum, len(getbufline(bufnr, lnum)[0]) + 1, {
    type: NOTE,
    bufnr: bufnr,
    text: $'  {get(note, 'name', '')}{note.verb}{plain.OneLine(words)}',
  })
  screen.Draw()
enddef

# Remove the note of a question.
export def Unmark(id: number)
  RemoveNote(get(get(questions, id, {}), 'note', {}))
enddef

def Call(question: dict<any>, handler: string, arguments: list<any>)
  if !has_key(question, handler)
    return
  endif
  const failure = reason.Try(question[handler], arguments)
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

# Ask something for a command (`ask`, `rewrite`, `commit`). Starts the host if it does not
# run. `request` has the fields of this kind in `editor/port/prompts.py`, without the id. Returns the
# id. The handlers are optional:
#
# - `OnText(lines, row)`: the answer so far, and the first row that has changed since the last call
# - `OnProgress(words)`: what Claude does; empty once the answer arrives
# - `OnEnd(error, result)`: called once, and last; the error is empty if there is none
#
# With a `note` among them, the progress is shown in a buffer, and an error as a message: {bufnr, lnum,
# verb}, a verb such as "rewriting"; `lnum` is 0 if the host will say the row.
export def Begin(kind: string, request: dict<any>, handlers: dict<any>): number
  last_id += 1
  const id = last_id
  questions[id] = extendnew({kind: kind, text: ['']}, handlers)
  if empty(host.Server())
    # An answer may have to wait until the user pauses. A running server has switched this on.
    moment.NoticeTyping(true)
  endif
  if host.Start()
    channel.Emit('question_asked', extendnew({id: id, kind: kind, cwd: getcwd()}, request))
  else
    timer_start(0, (_) => Finish(id, {error: HOST_ENDED}))
  endif
  if has_key(handlers, 'note')
    ShowNote(handlers.note, '')
  endif
  return id
enddef

# Handle what a running question reports: its `progress` with the `name` of who answers, perhaps with the
# `row` of its note; or `text`, which follows the first `keep` bytes of the answer so far. The host keeps all of them or none.
export def Update(id: number, frame: dict<any>): bool
  const question = get(questions, id, {})
  if empty(question)
    return true
  endif
  if has_key(frame, 'progress')
    Call(question, 'OnProgress', [frame.progress])
    if has_key(question, 'note')
      question.note.name = $'{plain.OneLine(frame.name)} is '
      question.note.lnum = has_key(frame, 'row') ? frame.row + 1 : question.note.lnum
      ShowNote(question.note, frame.progress)
    endif
  endif
  if has_key(frame, 'text')
    const shown: list<string> = frame.keep > 0 ? question.text : ['']
    const added: list<string> = frame.text
    question.text = shown[: -2] + [shown[-1] .. added[0]] + added[1 :]
    Call(question, 'OnText', [question.text, len(shown) - 1])
  endif
  return true
enddef

# Handle the end of a question. The result is `text`, lines, or another `result`.
export def Finish(id: number, ended: dict<any>): bool
  if has_key(questions, id)
    Unmark(id)
    const question = questions->remove(id)
    const error: string = get(ended, 'error', '')
    if has_key(question, 'note') && error !=# '' && error !=# CANCELLED
      message.Show(error, 'error')
    endif
    Call(question, 'OnEnd', [error, get(ended, 'text', get(ended, 'result', v:null))])
  endif
  return true
enddef

# Cancel a question; its error is `CANCELLED`. Returns whether it was running.
export def Cancel(id: number): bool
  if !has_key(questions, id)
    return false
  endif
  channel.Emit('question_cancelled', {id: id})
  return Finish(id, {error: CANCELLED})
enddef

# Cancel all questions of a kind, and show a message, which is `if_none` if there are none.
export def CancelAll(kind: string, if_none: string)
  const ids = keys(questions)->filter((_, id) => questions[id].kind ==# kind)
  for id in ids
    Cancel(str2nr(id))
  endfor
  message.Show(empty(ids) ? if_none : 'stopped', 'info')
enddef

# End every question with an error, because the host has ended.
export def HostEnded()
  for id in keys(questions)
    Finish(str2nr(id), {error: HOST_ENDED})
  endfor
enddef

defcompile
