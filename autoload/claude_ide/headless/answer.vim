vim9script
# `:ClaudeAsk`: a question, and the window in which its answer appears. The answer cannot be
# continued in a chat, which Vim does not have.

import autoload './answer_window.vim'
import autoload '../channel.vim'
import autoload '../ui/vim_ui.vim'
import autoload '../file/path.vim'
import autoload '../privacy.vim'
import autoload '../prompts.vim'
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

def Forget(answer: dict<any>)
  if answer.id > 0
    headless.Cancel(answer.id)
    channel.Emit('question_closed', {id: answer.id})
  endif
enddef

def Ended(answer: dict<any>, error: string, result: any, ToText: func)
  const bufnr: number = answer.bufnr
  if !answer.has_text && result != v:null
    answer_window.Draw(bufnr, ToText(result), 0)
  endif
  const is_cancelled = error ==# headless.CANCELLED
  answer_window.Finish(bufnr, is_cancelled ? '' : error, is_cancelled ? error : '')
enddef

def Commit(answer: dict<any>)
  if !answer_window.IsMessage(answer.bufnr)
    message.Show('there is no commit message yet', 'info')
    return
  endif
  const text = getbufline(answer.bufnr, 1, '$')
  channel.Emit('commit_asked', {window: answer.bufnr, cwd: answer.cwd, text: text})
enddef

# Close the window of an answer that is no longer needed.
export def CloseWindow(bufnr: number)
  if bufexists(bufnr)
    answer_window.Close(bufnr)
  endif
enddef

# Ask something, and show the answer as it arrives. `request` is as for `headless.Begin`. A `ToText`
# that is given turns the result into lines, which are shown when they are complete. With `commits` the user
# may change them, and commit what is staged with them.
export def Show(
  title: string,
  kind: string,
  request: dict<any>,
  ToText: func = null_function,
  commits = false
)
  stopinsert
  final answer: dict<any> = {id: 0, bufnr: 0, has_text: false, cwd: getcwd()}
  const commit: dict<any> = commits ? {Commit: () => Commit(answer)} : {}
  const opened = reason.Attempt(answer_window.Open, [title, extend({
    Stop: () => headless.Cancel(answer.id),
    Closed: () => Forget(answer),
  }, commit)])
  if !opened[0]
    message.Show($'the answer cannot be shown: {opened[1]}', 'error')
    return
  endif
  const bufnr: number = opened[1]
  answer.bufnr = bufnr
  final handlers: dict<any> = {
    OnProgress: (words) => answer_window.SetStatus(bufnr, words),
    OnEnd: (error, result) => Ended(answer, error, result, ToText ?? ((text) => text)),
  }
  if ToText == null_function
    handlers.OnText = (lines, row) => {
      # A partial answer may be withdrawn.
      answer.has_text = lines !=# ['']
      answer_window.Draw(bufnr, lines, row)
    }
  endif
  answer.id = headless.Begin(kind, request, handlers)
enddef

# What the question is about: the range, or else the current file. Throws if the range must stay in
# the editor. A file that must is left out.
def Context(lines: list<number>): dict<any>
  const name = path.Path(bufnr())
  const why = privacy.Why(bufnr())
  if empty(lines)
    return why ==# '' && name !=# '' ? {file: name} : {}
  elseif why !=# ''
    throw 'claude-ide: ' .. why
  endif
  const [first, last] = lines
  return {lines: {
    name: name ==# '' ? 'an unnamed buffer' : name,
    first: first,
    last: last,
    text: getline(first, last),
  }}
enddef

def Begin(prompt: string, about: dict<any>)
  if prompt =~# '\S'
    Show(prompt, 'ask', extendnew(about, {prompt: prompt}))
  endif
enddef

# Carry out `:[range]ClaudeAsk[!] [question]`.
export def Ask(text: string, lines: list<number>, bang: bool)
  if bang
    headless.CancelAll('ask', 'nothing to stop')
    return
  endif
  const about = reason.Attempt(Context, [lines])
  if !about[0]
    message.Show(about[1], 'error')
  elseif prompts.AreName(text)
    prompts.Choose(strpart(trim(text), 1), lines, (prompt) => Begin(prompt, about[1]))
  elseif text =~# '\S'
    Begin(text, about[1])
  else
    vim_ui.Input('Ask Claude: ', '', (_, prompt) => Begin(prompt, about[1]))
  endif
enddef

defcompile
