vim9script
# `:ClaudeAsk`: a question, and the window in which its answer appears. The answer cannot be
# continued in a chat, which Vim does not have. And `:ClaudeCommit`.

import autoload '../channel.vim'
import autoload '../file/path.vim'
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../privacy.vim'
import autoload '../ui/vim_ui.vim'
import autoload './answer_window.vim'

var shown: dict<number> = {} # by the id of its question: the buffer of an answer

def Forget(id: number)
  if has_key(shown, id)
    shown->remove(string(id))
    headless.Cancel(id)
    channel.Emit('question_closed', {id: id})
  endif
enddef

def Ended(answer: dict<any>, error: string, text: any)
  const bufnr: number = answer.bufnr
  if !answer.has_text && type(text) == v:t_list
    answer_window.Draw(bufnr, text, 0)
  endif
  const is_cancelled = error ==# headless.CANCELLED
  answer_window.Finish(bufnr, is_cancelled ? '' : error, is_cancelled ? error : '')
enddef

def Commit(answer: dict<any>)
  if answer_window.IsMessage(answer.bufnr)
    const text = getbufline(answer.bufnr, 1, '$')
    channel.Emit('commit_asked', {id: answer.id, cwd: answer.cwd, text: text})
  else
    message.Show('there is no commit message yet', 'info')
  endif
enddef

# Called by the host: close the window of an answer that is no longer needed.
export def Close(id: number): bool
  if has_key(shown, id)
    answer_window.Close(shown[id])
  endif
  return true
enddef

# Ask something, and show the answer as it arrives. `request` is as for `headless.Begin`. With `commits`
# the user may change it once it is complete, and commit what is staged with it.
export def Show(title: string, kind: string, request: dict<any>, commits = false)
  stopinsert
  final answer: dict<any> = {id: 0, bufnr: 0, has_text: false, cwd: getcwd()}
  const opened = reason.Attempt(answer_window.Open, [title, extend({
    Stop: () => headless.Cancel(answer.id),
    Closed: () => Forget(answer.id),
  }, commits ? {Commit: () => Commit(answer)} : {})])
  if !opened[0]
    message.Show($'the answer cannot be shown: {opened[1]}', 'error')
    return
  endif
  const bufnr: number = opened[1]
  answer.bufnr = bufnr
  answer.id = headless.Begin(kind, request, {
    OnText: (lines, row) => {
      # A partial answer may be withdrawn.
      answer.has_text = lines !=# ['']
      answer_window.Draw(bufnr, lines, row)
    },
    OnProgress: (words) => answer_window.SetStatus(bufnr, words),
    OnEnd: (error, text) => Ended(answer, error, text),
  })
  shown[answer.id] = bufnr
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
    name: name ?? 'an unnamed buffer',
    first: first,
    last: last,
    text: getline(first, last),
    paths: claude_ide#places#About(bufnr(), first, last),
  }}
enddef

# Carry out `:[range]ClaudeAsk[!] [question]`.
export def Ask(text: string, lines: list<number>, bang: bool)
  if bang
    headless.CancelAll('ask', 'nothing to stop')
    return
  endif
  const here = claude_ide#contexts#Here(lines)
  # The host knows what `@name` before the words means.
  const at = matchstr(text, '^@\S\+\s\+')
  const words = strpart(text, len(at))
  const name: any = claude_ide#prompts#NameIn(words)
  const about = reason.Attempt(Context, [lines])
  const Begin = (prompt: string) => {
    if prompt =~# '\S'
      const facts = claude_ide#contexts#Facts(here, prompt)
      Show(prompt, 'ask', extendnew(about[1], {prompt: prompt, facts: facts}))
    endif
  }
  if !about[0]
    message.Show(about[1], 'error')
  elseif type(name) == v:t_string
    claude_ide#prompts#Choose(name, (prompt) => Begin(at .. prompt))
  elseif text =~# '\S'
    Begin(text)
  else
    vim_ui.Input('Ask Claude: ', '', (_, prompt) => Begin(prompt))
  endif
enddef

# Carry out `:ClaudeCommit[!]`: have a message for the staged changes put where the user writes it, in the current
# window or another one of the tab page, or else shown.
export def WriteCommit(typed: string, _: list<number>, bang: bool)
  const messages = ([bufnr()] + tabpagebuflist())->filter((_, bufnr) =>
    getbufvar(bufnr, '&filetype') ==# 'gitcommit' && getbufvar(bufnr, '&modifiable'))
  if bang
    headless.CancelAll('commit', 'nothing to stop')
  elseif empty(messages)
    Show('Commit message', 'commit', {typed: typed}, true)
  else
    const bufnr = messages[0]
    headless.Begin('commit', {path: path.Name(bufnr), bufnr: bufnr, typed: typed}, {
      note: {bufnr: bufnr, lnum: 1, verb: 'writing'},
    })
  endif
enddef

defcompile
