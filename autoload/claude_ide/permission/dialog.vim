vim9script
# The dialog of a CLI in its terminal, which asks at the same time.
#
# The CLI does not report an answer in its dialog before the tool has ended, and shows until then
# that it waits for us. So a key that answers there leaves the answer to the dialog. Vim has no event
# for a key before 9.1.0563, so the terminal gets maps while a permission waits; a map of the user's
# is kept.

import autoload '../window/inside.vim'

const KEYS = ['<CR>', '<Esc>', '1', '2', '3', '4', '5', '6', '7', '8', '9']

var mapped = 0 # the terminal with the maps
var on_answer: list<func()> = []

# Only for the maps.
export def Pressed(key: string): string
  for Fn in on_answer
    Fn()
  endfor
  return key
enddef

# Only for `Watch`: define the maps in the current buffer.
export def Define()
  for key in KEYS
    if maparg(key, 't') ==# ''
      execute $'tnoremap <buffer> <nowait> <expr> {key} claude_ide#permission#dialog#Pressed("\{key}")'
    endif
  endfor
enddef

# Only for `Unwatch`: remove the maps from the current buffer.
export def Undefine()
  for key in KEYS
    if maparg(key, 't') =~# 'claude_ide#permission#dialog#'
      execute $'tunmap <buffer> {key}'
    endif
  endfor
enddef

def Terminal(launch: string): number
  const found = getbufinfo()->filter((_, buffer) =>
    get(buffer.variables, 'claude_ide_launch', '') ==# launch)
  return empty(found) ? 0 : found[0].bufnr
enddef

# Whether the user is in the terminal whose CLI was launched under this id.
export def HasUser(launch: string): bool
  return launch !=# '' && get(b:, 'claude_ide_launch', '') ==# launch
enddef

# Stop to watch the keys.
export def Unwatch()
  on_answer = []
  if mapped > 0 && bufexists(mapped)
    inside.Run(mapped, 'call claude_ide#permission#dialog#Undefine()')
  endif
  mapped = 0
enddef

# Call `Fn` when the user types a key that answers in the dialog of the CLI with this launch.
export def Watch(launch: string, Fn: func())
  const terminal = launch ==# '' ? 0 : Terminal(launch)
  if terminal != mapped
    Unwatch()
  endif
  on_answer = [Fn]
  if terminal > 0 && mapped == 0
    mapped = terminal
    inside.Run(terminal, 'call claude_ide#permission#dialog#Define()')
  endif
enddef

defcompile
