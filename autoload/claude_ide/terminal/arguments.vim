vim9script
# Completes the arguments of `:Claude`: the most common options of the CLI, and their values.

import autoload '../host/stored_sessions.vim'

const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'dontAsk', 'manual', 'plan']
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
# Names that stand for the latest model of their kind.
const MODELS = ['fable', 'haiku', 'opus', 'sonnet']
const OPTIONS = [
  '--add-dir',
  '--append-system-prompt',
  '--continue',
  '--dangerously-skip-permissions',
  '--effort',
  '--mcp-config',
  '--model',
  '--permission-mode',
  '--resume',
  '--settings',
  '--verbose',
]
const FREE_TEXT = '--append-system-prompt'

def Paths(lead: string, kind: string): list<string>
  return getcompletion(lead, kind)->map((_, path) => fnameescape(path))
enddef

# The values of an option.
def Values(option: string, lead: string): list<string>
  if option ==# '--add-dir'
    return Paths(lead, 'dir')
  elseif option ==# '--mcp-config' || option ==# '--settings'
    return Paths(lead, 'file')
  elseif option ==# '--resume'
    return stored_sessions.Ids()
  endif
  return get({'--effort': EFFORTS, '--model': MODELS, '--permission-mode': MODES}, option, [])
enddef

# Complete an option, or the value of the option before the cursor
# (`:help :command-completion-customlist`).
export def Complete(lead: string, line: string, pos: number): list<string>
  const option = strpart(line, 0, pos)->split('\s\+', true)->get(-2, '')
  const values = Values(option, lead)
  const candidates = empty(values) && option !=# FREE_TEXT ? OPTIONS : values
  return candidates->copy()->filter((_, candidate) => stridx(candidate, lead) == 0)
enddef

defcompile
