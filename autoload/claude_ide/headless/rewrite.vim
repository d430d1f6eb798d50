vim9script
# `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change.

import autoload './lines.vim' as lines_of
import autoload './note.vim'
import autoload './refinement.vim'
import autoload '../channel.vim'
import autoload '../ui/vim_ui.vim'
import autoload '../diff.vim'
import autoload '../file/edit.vim'
import autoload '../file/rebase.vim'
import autoload '../privacy.vim'
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

const SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'

# By the id of the question: targets (`lines.vim`), whose `base` are the lines when the rewrite was
# requested, and once a change `is_proposed`, the lines then; with the `note` on the lines, the
# `cwd`, the `instructions` that have led to each version of the proposal (`revision.vim`), and the
# `diff` while the user can work on it.
var rewrites: dict<dict<any>> = {}

# Why Claude may not rewrite lines of a buffer; empty if it may.
def Refusal(bufnr: number, rewritten: list<string>): string
  for Why in [
    () => lines_of.WhyUnchangeable(bufnr),
    () => privacy.Why(bufnr),
    () => lines_of.WhyUnsendable(rewritten),
  ]
    const why: string = call(Why, [])
    if why !=# ''
      return why
    endif
  endfor
  return ''
enddef

# Apply the accepted text of the whole buffer as one undo step. Returns what has prevented that.
def Apply(rewrite: dict<any>, text: list<string>): string
  const bufnr: number = rewrite.bufnr
  const accepted = lines_of.Split(text)
  const why = lines_of.WhyUnchangeable(bufnr)
  if why !=# ''
    return lines_of.Keep(rewrite, accepted, why)
  endif
  const merged = rebase.Merge(rewrite.base, accepted, lines_of.All(bufnr))
  if merged.conflict
    return lines_of.Keep(rewrite, accepted, 'the lines have changed')
  endif
  edit.Change(bufnr, merged.lines)
  return ''
enddef

def Ready(rewrite: dict<any>, shown: dict<any>)
  rewrite.diff = shown
  win_execute(bufwinid(shown.bufnr), 'nnoremap <buffer> <C-c> '
    .. '<Cmd>call claude_ide#headless#rewrite#StopRefining(bufnr())<CR>')
enddef

# Only for the key in a proposal.
export def StopRefining(bufnr: number)
  final here = values(rewrites)->filter((_, rewrite) => IsProposal(rewrite, bufnr))
  if here->indexof((_, rewrite) => refinement.Stop(rewrite)) < 0
    message.Show('nothing to stop', 'info')
  endif
enddef

# The user can no longer work on the diff of a rewrite.
def EndDiff(rewrite: dict<any>)
  if has_key(rewrite, 'diff')
    remove(rewrite, 'diff')
  endif
  refinement.Stop(rewrite)
enddef

# The user has decided; without a text, against the rewrite.
def Decided(question_id: number, decision: list<any>)
  if has_key(rewrites, question_id)
    EndDiff(rewrites[question_id])
  endif
  if !empty(decision) && has_key(rewrites, question_id)
    const rewrite = rewrites[question_id]
    const applied = reason.Attempt(Apply, [rewrite, decision[0]])
    const problem = applied[0] ? applied[1]
      : lines_of.Keep(rewrite, lines_of.Split(decision[0]), applied[1])
    if problem !=# ''
      message.Show(problem, 'error')
    endif
  endif
  # Not at once: a message must not interrupt the `:w` that decides.
  timer_start(0, (_) => headless.Finish(question_id, {}))
enddef

# Show Claude's lines as a diff. The question ends with the user's decision.
#
# Emits the diff's events (`diff.Open`), but never the text. Returns {error} if no diff is shown.
export def Show(id: number, question_id: number, proposal: dict<any>): dict<string>
  final rewrite = get(rewrites, question_id, {})
  const replaced = empty(rewrite) ? {lines: []} : lines_of.Replace(rewrite, proposal.text)
  if has_key(replaced, 'error')
    return {error: replaced.error}
  elseif empty(rewrite) || replaced.lines ==# rewrite.base
    if !empty(rewrite)
      message.Show('Claude suggests no changes', 'info')
    endif
    channel.Emit('diff_decided', {id: id, accepted: false})
    Decided(question_id, [])
    return {}
  endif
  rewrite.is_proposed = true
  note.Remove(rewrite.note)
  return diff.Open(id, {
    path: rewrite.name,
    text: lines_of.Join(replaced.lines),
    title: proposal.title,
    layout: proposal.layout,
    original: rewrite.bufnr,
    OnReady: (shown) => Ready(rewrite, shown),
  }, (...decision) => Decided(question_id, decision))
enddef

def Finish(id: number, error: string)
  final rewrite = rewrites->remove(id)
  EndDiff(rewrite)
  note.Remove(rewrite.note)
  if error !=# '' && error !=# headless.CANCELLED
    message.Show(error, 'error')
  endif
enddef

def Begin(bufnr: number, area: list<number>, instruction: string)
  if !bufloaded(bufnr)
    message.Show('the buffer is gone', 'error')
    return
  endif
  const lines = lines_of.All(bufnr)
  # The buffer may have got shorter while the user typed the instruction.
  const last = min([area[1], len(lines)])
  const first = min([area[0], last - 1])
  const why = Refusal(bufnr, lines[first : last - 1])
  if why !=# ''
    message.Show(why, 'error')
    return
  endif
  final rewrite: dict<any> = {
    bufnr: bufnr,
    name: lines_of.NameOf(bufnr),
    base: lines,
    first: first,
    last: last,
    is_proposed: false,
    cwd: getcwd(),
    instructions: {0: [instruction]},
    note: note.New(bufnr, first + 1),
  }
  final asked = {id: 0}
  asked.id = headless.Begin('rewrite', {
    cwd: rewrite.cwd,
    instruction: instruction,
    name: rewrite.name,
    filetype: getbufvar(bufnr, '&filetype'),
    text: lines,
    first: first,
    last: last,
  }, {
    OnProgress: (progress) => note.ShowProgress(rewrite.note, 'rewriting', progress),
    OnEnd: (error, _) => Finish(asked.id, error),
  })
  rewrites[asked.id] = rewrite
  note.ShowProgress(rewrite.note, 'rewriting', '')
enddef

# Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the
# user.
def Stop()
  const running = keys(rewrites)->filter((_, id) => !rewrites[id].is_proposed)
  for id in running
    headless.Cancel(str2nr(id))
  endfor
  final refined = values(rewrites)->filter((_, rewrite) => refinement.Stop(rewrite))
  if empty(running) && empty(refined)
    headless.CancelAll('rewrite', 'nothing to stop')
  else
    message.Show('stopped', 'info')
  endif
enddef

def IsProposal(rewrite: dict<any>, bufnr: number): bool
  return has_key(rewrite, 'diff') && rewrite.diff.bufnr == bufnr
enddef

# The open rewrites of which a buffer is the proposal or, unless lines of it are named, the file.
def OpenIn(bufnr: number, has_range: bool): list<dict<any>>
  return values(rewrites)->filter((_, rewrite) => IsProposal(rewrite, bufnr)
    || (has_key(rewrite, 'diff') && rewrite.bufnr == bufnr && !has_range))
enddef

# Call `Use` with the instruction, for which the user is asked if the command has none.
def WithInstruction(text: string, prompt: string, Use: func)
  if text =~# '\S'
    Use(text)
    return
  endif
  vim_ui.Input(prompt, '', (_, instruction) => {
    if instruction =~# '\S'
      Use(instruction)
    endif
  })
enddef

def Refine(rewrite: dict<any>, text: string, lines: list<number>)
  const why = refinement.Refusal(rewrite)
  const area = empty(lines) ? [] : [lines[0] - 1, lines[1]]
  if why !=# ''
    message.Show(why, 'error')
  else
    WithInstruction(text, 'Refine: ', (instruction) =>
      refinement.Begin(rewrite, instruction, area))
  endif
enddef

def Ask(text: string, lines: list<number>)
  const bufnr = bufnr()
  final open = OpenIn(bufnr, !empty(lines))
  if len(open) > 1
    message.Show(SEVERAL, 'warn')
    return
  elseif !empty(open)
    Refine(open[0], text, lines)
    return
  endif
  const area = empty(lines) ? [0, line('$')] : [lines[0] - 1, lines[1]]
  const why = Refusal(bufnr, getline(area[0] + 1, area[1]))
  if why !=# ''
    message.Show(why, 'error')
  else
    WithInstruction(text, 'Edit with Claude: ', (instruction) =>
      Begin(bufnr, area, instruction))
  endif
enddef

# Carry out `:[range]ClaudeEdit[!] [instruction]`.
export def Edit(text: string, lines: list<number>, bang: bool)
  if bang
    Stop()
  else
    Ask(text, lines)
  endif
enddef

defcompile
