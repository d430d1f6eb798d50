vim9script
# Formats with the expression in 'formatexpr': `gq` evaluates it for the whole buffer.

import autoload '../window/inside.vim'
import autoload '../messages/reason.vim'
import autoload './checkpoint.vim'

const EVALUATE = 'claude_ide#format#expression#Evaluate()'

# These ask language servers, which are asked in another way, without blocking Vim.
const BLOCKING = ['\<lsp#', '\<Coc', '\<ale#']

var expression = ''
var outcome: list<any> = []

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
  return value !=# '' && BLOCKING->indexof((_, pattern) => value =~# pattern) < 0
enddef

def EvaluateAll(bufnr: number)
  expression = getbufvar(bufnr, '&formatexpr')
  outcome = []
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
  if empty(outcome)
    return 'Vim did not evaluate it'
  elseif !outcome[0]
    return outcome[1]
  endif
  const result = string(outcome[1])
  return ['0', "''", 'v:null']->index(result) >= 0 ? '' : $'it returned {result}'
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets the outcome.
export def Format(bufnr: number, _: dict<any>, Done: func)
  final point = checkpoint.New(bufnr)
  const raised = reason.Try(EvaluateAll, [bufnr])
  const failed = raised !=# '' ? raised : Complaint()
  const lines = checkpoint.Restore(point)
  Done(failed ==# '' ? {lines: lines} : {error: failed})
enddef

defcompile
