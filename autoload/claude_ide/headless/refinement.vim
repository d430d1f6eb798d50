vim9script
# Refines a rewrite while its diff is open: `:ClaudeEdit shorter`.
#
# A rewrite then has, apart from what `rewrite.vim` says, a `refinement`: the `id` of its question,
# its `target` in the proposal, the `note` there, and `Cancel`, which stops waiting for a moment to
# show the result.

import autoload './lines.vim' as lines_of
import autoload './note.vim'
import autoload '../diff/revision.vim'
import autoload '../file/rebase.vim'
import autoload '../privacy.vim'
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../timing/moment.vim'

# The rows of lines in a later text. What was inserted at either end of them belongs to them.
def RowsIn(base: list<string>, current: list<string>, first: number, last: number): list<number>
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

# The rows of the rewritten lines in the proposal. The lines around them are usually as in the
# buffer; if not, the user has changed them.
def Region(rewrite: dict<any>, current: list<string>): list<number>
  const base: list<string> = rewrite.base
  const first: number = rewrite.first
  const last: number = rewrite.last
  const below = len(current) - (len(base) - last)
  const is_same = below >= first
    && rebase.Part(base, 0, first) ==# rebase.Part(current, 0, first)
    && base[last :] ==# current[below :]
  return is_same ? [first, below] : RowsIn(base, current, first, last)
enddef

# The lines to refine: those of `area` ([first row, last row, exclusive]), or all that Claude has
# rewritten.
def TargetOf(rewrite: dict<any>, area: list<number>): dict<any>
  const bufnr: number = rewrite.diff.bufnr
  const lines = lines_of.All(bufnr)
  var [first, last] = Region(rewrite, lines)
  if !empty(area)
    # The proposal may have got shorter while the user typed the instruction.
    last = min([area[1], len(lines)])
    first = min([area[0], last - 1])
  endif
  return {bufnr: bufnr, name: rewrite.name, base: lines, first: first, last: last}
enddef

# Why a rewrite cannot be refined now; empty if it can.
export def Refusal(rewrite: dict<any>): string
  if !has_key(rewrite, 'diff')
    return 'the diff is no longer open'
  elseif has_key(rewrite, 'refinement')
    return 'Claude is already refining this (:ClaudeEdit! stops it)'
  endif
  const why = lines_of.WhyUnchangeable(rewrite.diff.bufnr)
  return why !=# '' || !bufexists(rewrite.bufnr) ? why : privacy.Why(rewrite.bufnr)
enddef

def Finish(rewrite: dict<any>, refinement: dict<any>)
  if get(rewrite, 'refinement', {}) is refinement
    remove(rewrite, 'refinement')
  endif
  note.Remove(refinement.note)
enddef

def Show(rewrite: dict<any>, refinement: dict<any>, replacement: list<string>)
  Finish(rewrite, refinement)
  final replaced = lines_of.Replace(refinement.target, replacement)
  if has_key(replaced, 'error')
    message.Show(replaced.error, 'error')
  elseif replaced.lines ==# refinement.target.base
    message.Show('Claude suggests no changes', 'info')
  else
    rewrite.instructions[revision.Revise(rewrite.diff, replaced.lines)] = refinement.instructions
    message.Show('refined (u undoes it)', 'info')
  endif
enddef

# The text must not change under a user who is typing in it, or selecting.
def ShowWhenFree(rewrite: dict<any>, refinement: dict<any>, replacement: list<string>)
  const is_there = bufnr() == refinement.target.bufnr
  const When = is_there ? moment.WhenFree : moment.WhenPossible
  refinement.Cancel = call(When, [
    () => Show(rewrite, refinement, replacement),
    (why) => {
      Finish(rewrite, refinement)
      message.Show(lines_of.Keep(refinement.target, lines_of.Split(replacement), why), 'error')
    },
  ])
enddef

def Ended(rewrite: dict<any>, refinement: dict<any>, error: string, replacement: any)
  if error ==# ''
    ShowWhenFree(rewrite, refinement, replacement)
    return
  endif
  Finish(rewrite, refinement)
  if error !=# headless.CANCELLED
    message.Show(error, 'error')
  endif
enddef

# Have Claude refine a rewrite; `area` are the rows of the proposal, or empty for all that Claude has
# rewritten. The result becomes the text of the same diff.
export def Begin(rewrite: dict<any>, instruction: string, area: list<number>)
  var why = Refusal(rewrite)
  final target = why ==# '' ? TargetOf(rewrite, area) : {}
  if why ==# ''
    why = lines_of.WhyUnsendable(rebase.Part(target.base, target.first, target.last - target.first))
  endif
  if why !=# ''
    message.Show(why, 'error')
    return
  endif
  final earlier: list<string> = rewrite.instructions[revision.Version(rewrite.diff)]
  final refinement: dict<any> = {
    id: 0,
    target: target,
    instructions: earlier + [instruction],
    note: note.New(target.bufnr, target.first + 1),
    Cancel: () => 0,
  }
  rewrite.refinement = refinement
  note.ShowProgress(refinement.note, 'refining', '')
  refinement.id = headless.Begin('refine', {
    cwd: rewrite.cwd,
    instruction: instruction,
    earlier: earlier,
    original: {text: rebase.Part(rewrite.base, rewrite.first, rewrite.last - rewrite.first)},
    name: rewrite.name,
    filetype: getbufvar(target.bufnr, '&filetype'),
    text: target.base,
    first: target.first,
    last: target.last,
  }, {
    OnProgress: (progress) => note.ShowProgress(refinement.note, 'refining', progress),
    OnEnd: (error, replacement) => Ended(rewrite, refinement, error, replacement),
  })
enddef

# Stop refining a rewrite, whose diff stays as it is. Returns whether it was being refined.
export def Stop(rewrite: dict<any>): bool
  if !has_key(rewrite, 'refinement')
    return false
  endif
  final refinement: dict<any> = rewrite.refinement
  call(refinement.Cancel, [])
  headless.Cancel(refinement.id)
  Finish(rewrite, refinement)
  return true
enddef

defcompile
