vim9script
# One-off requests to the CLI: sent to the host, and answered exactly once.

import autoload './channel.vim'
import autoload './host.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'
import autoload './timing/moment.vim'

export const CANCELLED = 'cancelled'

export const HOST_ENDED = 'the Python host has ended'

# By id: the `kind`, the answer so far (`text`, lines), and the functions that follow it.
var questions: dict<dict<any>> = {}
var last_id = 0

def Call(question: dict<any>, handler: string, arguments: list<any>)
  if !has_key(question, handler)
    return
  endif
  const failure = reason.Try(question[handler], arguments)
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

# Ask something for a command (`ask`, `rewrite`, `refine`, `commit`). Starts the host if it does not
# run. `request` has the fields of this kind in `editor/port/questions.py`, without the id. Returns the
# id. The handlers are optional, but for `OnEnd`:
#
# - `OnText(lines, row)`: the answer so far, and the first row that has changed since the last call
# - `OnProgress(words)`: what Claude does; empty once the answer arrives
# - `OnEnd(error, result)`: called once, and last; the error is empty if there is none
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
  return id
enddef

# Handle news of a running question: its `progress`, or `text`, which follows the first `keep` bytes
# of the answer so far. The host keeps all of them or none.
export def Update(id: number, frame: dict<any>): bool
  const question = get(questions, id, {})
  if empty(question)
    return true
  endif
  if has_key(frame, 'progress')
    Call(question, 'OnProgress', [frame.progress])
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
    const question = questions->remove(id)
    const result = get(ended, 'text', get(ended, 'result', v:null))
    Call(question, 'OnEnd', [get(ended, 'error', ''), result])
  endif
  return true
enddef

# Cancel a running question; its error is `CANCELLED`.
export def Cancel(id: number)
  if has_key(questions, id)
    channel.Emit('question_cancelled', {id: id})
    Finish(id, {error: CANCELLED})
  endif
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
