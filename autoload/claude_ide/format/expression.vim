vim9script
# Formats with the expression in 'formatexpr': `gq` evaluates it for the whole buffer. Plugins and
# expressions change the buffer itself: a checkpoint takes the result out of it.

import autoload '../file/edit.vim'
import autoload '../messages/reason.vim'
import autoload '../window/inside.vim'

const EVALUATE = 'claude_ide#format#expression#Evaluate()'

# These ask language servers, which are asked in another way, without blocking Vim.
const BLOCKING = '\<lsp#\|\<Coc\|\<ale#'

var expression = ''
var outcome: list<any> = []

# The state of a loaded buffer, with its marks and the views of its windows. The next change starts a new
# undo step.
export def Checkpoint(bufnr: number): dict<any>
  edit.BreakUndo(bufnr)
  final views: dict<string> = {}
  for winid in win_findbuf(bufnr)
    views[winid] = trim(win_execute(winid, 'echo string(winsaveview())'))
  endfor
  return {
    lines: getbufline(bufnr, 1, '$'),
    tick: getbufvar(bufnr, 'changedtick'),
    state: trim(inside.Run(bufnr, 'silent echo undotree().seq_cur')),
    modified: getbufvar(bufnr, '&modified'),
    marks: (getmarklist(bufnr) + getmarklist())->filter((_, each) =>
      each.pos[0] == bufnr && each.mark =~# "^'[A-Za-z<>]$"),
    views: views,
  }
enddef

# Revert all changes since a checkpoint; return the lines that the buffer had before that.
export def Restore(bufnr: number, point: dict<any>): list<string>
  const lines = getbufline(bufnr, 1, '$')
  const before: list<string> = point.lines
  if lines !=# before
    inside.Run(bufnr, $'silent! noautocmd keepjumps undo {point.state}')
    # Without an undo history ('undolevels' is -1).
    edit.Change(bufnr, before)
    for mark in point.marks
      setpos(mark.mark, mark.pos)
    endfor
  endif
  for [winid, view] in items(point.views)
    win_execute(str2nr(winid), $'noautocmd call winrestview({view})')
  endfor
  setbufvar(bufnr, '&modified', point.modified)
  return lines
enddef

# Only for this module: gets what the expression has returned.
export def Store(result: any): number
  outcome = [true, result]
  return 0
enddef

# Only for this module: evaluated by `gq`. It always returns 0, since any other value would request
# Vim's own formatting, which fills all lines up to 'textwidth'.
export def Evaluate(): number
  # The rules of Vim9 script do not apply to the user's expression.
  const failed = reason.Try(() => {
    execute $'legacy call claude_ide#format#expression#Store({expression})'
  })
  if failed !=# ''
    outcome = [false, failed]
  endif
  return 0
enddef

# Whether 'formatexpr' of a buffer can be used as a formatter.
export def IsUsable(bufnr: number): bool
  const value: string = getbufvar(bufnr, '&formatexpr')
  return value !=# '' && value !~# BLOCKING
enddef

def EvaluateAll(bufnr: number)
  expression = getbufvar(bufnr, '&formatexpr')
  outcome = [false, 'Vim did not evaluate it']
  const debug = &debug
  # Otherwise errors in an option would be omitted.
  &debug = 'throw'
  setbufvar(bufnr, '&formatexpr', EVALUATE)
  try
    inside.Run(bufnr, 'silent noautocmd keepjumps normal! gggqG')
  finally
    &debug = debug
    setbufvar(bufnr, '&formatexpr', expression)
  endtry
enddef

def Complaint(): string
  if !outcome[0]
    return outcome[1]
  endif
  const result = string(outcome[1])
  return ['0', "''", 'v:null']->index(result) >= 0 ? '' : $'it returned {result}'
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets the outcome.
export def Format(bufnr: number, _: dict<any>, Done: func)
  const point = Checkpoint(bufnr)
  const failed = reason.Try(EvaluateAll, [bufnr]) ?? Complaint()
  const lines = Restore(bufnr, point)
  Done(failed ==# '' ? {lines: lines} : {error: failed})
enddef

defcompile
