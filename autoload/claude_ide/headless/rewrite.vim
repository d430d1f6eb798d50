vim9script
# `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change, and
# refines the rewrite while its diff is open.
#
# Lines for which Claude writes others are a target: {bufnr, name, base, first, last, note}: the
# file's name, for a buffer that keeps the new lines; all lines of the buffer when they were last
# looked at; the rows of those to rewrite, 0-based, the last one exclusive; and the note behind them.

import autoload './note.vim'
import autoload '../channel.vim'
import autoload '../diff.vim'
import autoload '../diff/decision.vim' as diff_decision
import autoload '../file/edit.vim'
import autoload '../file/command_buffer.vim'
import autoload '../file/path.vim'
import autoload '../file/rebase.vim'
import autoload '../file/text.vim' as file_text
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../privacy.vim'
import autoload '../timing/moment.vim'
import autoload '../ui/vim_ui.vim'

const CHANGED = 'the lines have changed'
const NOT_UTF8 = 'these lines are not UTF-8'
const SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'
const UNCHANGED = 'Claude suggests no changes'

# By the id of the question: targets; with the `cwd`, whether a change `is_proposed`, the
# `instructions` that have led to each version of the proposal (`diff/decision.vim`), the `diff` while the
# user can work on it, and a running `refinement`: the `id` of its question, its `target` in the
# proposal, all its `instructions`, and `Cancel`, which stops waiting for a moment to show the result.
var rewrites: dict<dict<any>> = {}

# The lines of a text whose lines have ends.
def Split(text: list<string>): list<string>
  return text[-1] ==# '' ? text[: -2] : text
enddef

# Why the text of a buffer cannot be changed; empty if it can.
def WhyUnchangeable(bufnr: number): string
  if !bufloaded(bufnr)
    return 'the buffer is gone'
  endif
  return getbufvar(bufnr, '&modifiable') ? '' : "this buffer is read-only ('nomodifiable')"
enddef

# Why Claude may not get and rewrite lines of a buffer; empty if it may. `json_encode()` replaces
# bytes that are not UTF-8, and the rewritten lines would lose them.
def Refusal(bufnr: number, lines: list<string>): string
  const why = WhyUnchangeable(bufnr)
  return why !=# '' ? why : privacy.Why(bufnr)
    ?? (file_text.IsUtf8(lines) ? '' : NOT_UTF8)
enddef

# Keep new lines in another buffer, so that the answer is not lost. Returns a message.
def Keep(target: dict<any>, lines: list<string>, why: string): string
  const bufnr: number = target.bufnr
  const filetype = bufexists(bufnr) ? getbufvar(bufnr, '&filetype') : ''
  return command_buffer.Keep(target.name, lines + [''], $'{why}; the rewrite is', filetype)
enddef

# The rows of lines in a later text. What was inserted at either end of them belongs to them.
def RowsIn(base: list<string>, current: list<string>, first: number, last: number): list<number>
  const below = len(current) - (len(base) - last)
  if below >= first && rebase.Part(base, 0, first) ==# rebase.Part(current, 0, first)
      && base[last :] ==# current[below :]
    return [first, below]
  endif
  var [from, to, shift] = [first, last, 0]
  for [old_from, old_to, new_from, new_to] in rebase.Areas(base, current)
    if old_from > last || (old_from == last && old_to > last)
      break
    endif
    shift = new_to - old_to
    if old_from < first
      from = old_to <= first ? first + shift : new_from
    endif
    to = old_to > last ? new_to : last + shift
  endfor
  return [from, to]
enddef

# Put Claude's lines in the place of those of a target, which are then the current ones. Returns the
# `lines` of the whole buffer; or, if Claude's were kept in another one, a message (`error`).
def Replace(target: dict<any>, lines: list<string>): dict<any>
  const why = WhyUnchangeable(target.bufnr)
  if why !=# ''
    return {error: Keep(target, lines, why)}
  endif
  const base: list<string> = target.base
  const current = getbufline(target.bufnr, 1, '$')
  const replaced = rebase.Part(base, 0, target.first) + lines + base[target.last :]
  const merged = rebase.Merge(base, replaced, current)
  if merged.conflict
    return {error: Keep(target, lines, CHANGED)}
  endif
  const [first, last] = RowsIn(base, current, target.first, target.last)
  extend(target, {base: current, first: first, last: last})
  return {lines: merged.lines}
enddef

# Apply the accepted text of the whole buffer as one undo step. Returns what has prevented that.
# `:q` or `:qa` may come next.
def Apply(rewrite: dict<any>, accepted: list<string>): string
  const bufnr: number = rewrite.bufnr
  const why = WhyUnchangeable(bufnr)
  if why !=# ''
    return Keep(rewrite, accepted, why)
  endif
  const merged = rebase.Merge(rewrite.base, accepted, getbufline(bufnr, 1, '$'))
  if merged.conflict
    return Keep(rewrite, accepted, CHANGED)
  endif
  edit.Change(bufnr, merged.lines)
  return ''
enddef

def EndRefining(rewrite: dict<any>, refinement: dict<any>)
  if get(rewrite, 'refinement', {}) is refinement
    remove(rewrite, 'refinement')
  endif
  note.Remove(refinement.target.note)
enddef

# Stop refining a rewrite, whose diff stays as it is. Returns whether it was being refined.
def StopRefining(rewrite: dict<any>): bool
  const refinement: dict<any> = get(rewrite, 'refinement', {})
  if empty(refinement)
    return false
  endif
  call(refinement.Cancel, [])
  headless.Cancel(refinement.id)
  EndRefining(rewrite, refinement)
  return true
enddef

# Only for the key in a proposal.
export def Stop(bufnr: number)
  final here = values(rewrites)->filter((_, rewrite) => IsProposal(rewrite, bufnr))
  if here->indexof((_, rewrite) => StopRefining(rewrite)) < 0
    message.Show('nothing to stop', 'info')
  endif
enddef

def Ready(rewrite: dict<any>, shown: dict<any>)
  rewrite.diff = shown
  win_execute(bufwinid(shown.bufnr), 'nnoremap <buffer> <C-c> '
    .. '<Cmd>call claude_ide#headless#rewrite#Stop(bufnr())<CR>')
enddef

# The user can no longer work on the diff of a rewrite.
def EndDiff(rewrite: dict<any>)
  if has_key(rewrite, 'diff')
    remove(rewrite, 'diff')
  endif
  StopRefining(rewrite)
enddef

# The user has decided; without a text, against the rewrite.
def Decided(question_id: number, decision: list<any>)
  const rewrite = get(rewrites, question_id, {})
  if !empty(rewrite)
    EndDiff(rewrite)
  endif
  if !empty(decision) && !empty(rewrite)
    const accepted = Split(decision[0])
    const applied = reason.Attempt(Apply, [rewrite, accepted])
    const problem = applied[0] ? applied[1] : Keep(rewrite, accepted, applied[1])
    if problem !=# ''
      message.Show(problem, 'error')
    endif
  endif
  # Not at once: a message must not interrupt the `:w` that decides.
  timer_start(0, (_) => headless.Finish(question_id, {}))
enddef

# Show Claude's lines as a diff. The question ends with the user's decision. Each line of the text of
# `proposal` has its end.
#
# Emits the diff's events (`diff.Open`), but never the text. Returns {error} if no diff is shown.
export def Show(id: number, question_id: number, proposal: dict<any>): dict<string>
  final rewrite = get(rewrites, question_id, {})
  const replaced = empty(rewrite) ? {lines: []} : Replace(rewrite, Split(proposal.text))
  if has_key(replaced, 'error')
    return {error: replaced.error}
  elseif empty(rewrite) || replaced.lines ==# rewrite.base
    if !empty(rewrite)
      message.Show(UNCHANGED, 'info')
    endif
    channel.Emit('diff_decided', {id: id, accepted: false})
    Decided(question_id, [])
    return {}
  endif
  rewrite.is_proposed = true
  note.Remove(rewrite.note)
  return diff.Open(id, {
    path: rewrite.name,
    text: replaced.lines + [''],
    title: proposal.title,
    layout: proposal.layout,
    original: rewrite.bufnr,
    OnReady: (shown) => Ready(rewrite, shown),
  }, (...decision) => Decided(question_id, decision))
enddef

# Ask Claude for other lines. `request` has the fields of this kind. `OnEnd` gets whether it has
# succeeded, and the text. Returns the id of the question.
def Ask(kind: string, target: dict<any>, request: dict<any>, OnEnd: func(bool, any)): number
  const verb = kind ==# 'rewrite' ? 'rewriting' : 'refining'
  note.ShowProgress(target.note, verb, '')
  return headless.Begin(kind, extend(request, {
    name: target.name,
    filetype: getbufvar(target.bufnr, '&filetype'),
    text: target.base,
    first: target.first,
    last: target.last,
  }), {
    OnProgress: (progress) => note.ShowProgress(target.note, verb, progress),
    OnEnd: (error, text) => {
      if error !=# '' && error !=# headless.CANCELLED
        message.Show(error, 'error')
      endif
      OnEnd(error ==# '', text)
    },
  })
enddef

def Begin(bufnr: number, area: list<number>, instruction: string)
  const lines = getbufline(bufnr, 1, '$')
  # The buffer may have got shorter while the user typed the instruction.
  const last = min([area[1], len(lines)])
  const first = max([0, min([area[0], last - 1])])
  const why = Refusal(bufnr, rebase.Part(lines, first, last - first))
  if why !=# ''
    message.Show(why, 'error')
    return
  endif
  const name = path.Name(bufnr)
  final rewrite: dict<any> = {
    bufnr: bufnr,
    name: name ==# '' ? '[No Name]' : name,
    base: lines,
    first: first,
    last: last,
    note: note.New(bufnr, first + 1),
    is_proposed: false,
    cwd: getcwd(),
    instructions: {0: [instruction]},
  }
  final asked = {id: 0}
  asked.id = Ask('rewrite', rewrite, {cwd: rewrite.cwd, instruction: instruction}, (_, _) => {
    rewrites->remove(asked.id)
    EndDiff(rewrite)
    note.Remove(rewrite.note)
  })
  rewrites[asked.id] = rewrite
enddef

# Why a rewrite cannot be refined now; empty if it can.
def WhyUnrefinable(rewrite: dict<any>): string
  if !has_key(rewrite, 'diff')
    return 'the diff is no longer open'
  elseif has_key(rewrite, 'refinement')
    return 'Claude is already refining this (:ClaudeEdit! stops it)'
  endif
  const why = WhyUnchangeable(rewrite.diff.bufnr)
  return why !=# '' || !bufexists(rewrite.bufnr) ? why : privacy.Why(rewrite.bufnr)
enddef

def ShowRefined(rewrite: dict<any>, refinement: dict<any>, lines: list<string>)
  EndRefining(rewrite, refinement)
  const replaced = Replace(refinement.target, lines)
  if has_key(replaced, 'error')
    message.Show(replaced.error, 'error')
  elseif replaced.lines ==# refinement.target.base
    message.Show(UNCHANGED, 'info')
  else
    rewrite.instructions[diff_decision.Revise(rewrite.diff, replaced.lines)] = refinement.instructions
    message.Show('refined (u undoes it)', 'info')
  endif
enddef

# The text must not change under a user who is typing in it, or selecting.
def ShowWhenFree(rewrite: dict<any>, refinement: dict<any>, lines: list<string>)
  const is_there = bufnr() == refinement.target.bufnr
  const When = is_there ? moment.WhenFree : moment.WhenPossible
  refinement.Cancel = call(When, [
    () => ShowRefined(rewrite, refinement, lines),
    (why) => {
      EndRefining(rewrite, refinement)
      message.Show(Keep(refinement.target, lines, why), 'error')
    },
  ])
enddef

# Have Claude refine a rewrite; `area` are the rows of the proposal, or empty for all that Claude has
# rewritten. The result becomes the text of the same diff.
def BeginRefining(rewrite: dict<any>, instruction: string, area: list<number>)
  var why = WhyUnrefinable(rewrite)
  if why !=# ''
    message.Show(why, 'error')
    return
  endif
  const bufnr: number = rewrite.diff.bufnr
  const lines = getbufline(bufnr, 1, '$')
  var [first, last] = RowsIn(rewrite.base, lines, rewrite.first, rewrite.last)
  if !empty(area)
    # The proposal may have got shorter while the user typed the instruction.
    last = min([area[1], len(lines)])
    first = min([area[0], last - 1])
  endif
  if !file_text.IsUtf8(rebase.Part(lines, first, last - first))
    message.Show(NOT_UTF8, 'error')
    return
  endif
  const earlier: list<string> = rewrite.instructions[diff_decision.Version(rewrite.diff)]
  const at = note.New(bufnr, first + 1)
  final refinement: dict<any> = {
    id: 0,
    target: {bufnr: bufnr, name: rewrite.name, base: lines, first: first, last: last, note: at},
    instructions: earlier + [instruction],
    Cancel: () => 0,
  }
  rewrite.refinement = refinement
  refinement.id = Ask('refine', refinement.target, {
    cwd: rewrite.cwd,
    instruction: instruction,
    earlier: earlier,
    original: {text: rebase.Part(rewrite.base, rewrite.first, rewrite.last - rewrite.first)},
  }, (succeeded, text) => {
    if succeeded
      ShowWhenFree(rewrite, refinement, Split(text))
    else
      EndRefining(rewrite, refinement)
    endif
  })
enddef

# Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the
# user.
def StopAll()
  const running = keys(rewrites)->filter((_, id) => !rewrites[id].is_proposed)
  for id in running
    headless.Cancel(str2nr(id))
  endfor
  final refined = values(rewrites)->filter((_, rewrite) => StopRefining(rewrite))
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

# Carry out `:[range]ClaudeEdit[!] [instruction]`.
export def Edit(text: string, lines: list<number>, bang: bool)
  const bufnr = bufnr()
  const area = empty(lines) ? [] : [lines[0] - 1, lines[1]]
  const open = OpenIn(bufnr, !empty(area))
  const all = area ?? [0, line('$')]
  const why = bang || len(open) > 1 ? '' : empty(open) ? Refusal(bufnr, getline(all[0] + 1, all[1]))
    : WhyUnrefinable(open[0])
  const Use = (instruction: string) => {
    if instruction !~# '\S'
      return
    elseif empty(open)
      Begin(bufnr, all, instruction)
    else
      BeginRefining(open[0], instruction, area)
    endif
  }
  if bang
    StopAll()
  elseif len(open) > 1
    message.Show(SEVERAL, 'warn')
  elseif why !=# ''
    message.Show(why, 'error')
  elseif text =~# '\S'
    Use(text)
  else
    const prompt = empty(open) ? 'Edit with Claude: ' : 'Refine: '
    vim_ui.Input(prompt, '', (_, instruction) => Use(instruction))
  endif
enddef

defcompile
