vim9script
# The keys that the option `keys` maps: those of `:help claude-ide-keys` that Vim has, where the
# user has no map.

import autoload './messages/message.vim'

const GROUP = '<Leader>a'
const BOTH = ['n', 'x']

# Key, <Plug> map, modes.
const KEYS: list<list<any>> = [
  ['c', 'toggle', ['n']],
  ['s', 'send', BOTH],
  ['b', 'add', ['n']],
  ['q', 'ask', BOTH],
  ['e', 'edit', BOTH],
  ['m', 'commit', ['n']],
  ['y', 'accept', ['n']],
  ['n', 'reject', ['n']],
  ['r', 'answer', ['n']],
  ['f', 'focus', ['n']],
  ['k', 'comment', BOTH],
  ['h', 'changes', ['n']],
  [']', 'hunk-next', BOTH],
  ['[', 'hunk-previous', BOTH],
  ['v', 'hunk-keep', BOTH],
  ['x', 'hunk-revert', BOTH],
  ['d', 'hunk-show', ['n']],
  ['V', 'file-keep', ['n']],
  ['X', 'file-revert', ['n']],
]

# A map without a right side only names a group: vim-which-key and its kind show it.
def IsFree(mode: string): bool
  return index(['', '<Nop>'], maparg(GROUP, mode)) >= 0
enddef

# Map the keys. If the user has mapped `<Leader>a` itself, longer keys would delay that map:
# then none is mapped.
export def Define()
  if !IsFree('n') || !IsFree('x')
    message.Show('<leader>a is mapped, so no keys were (:help claude-ide-keys)', 'warn')
    return
  endif
  for [key, plug, modes] in KEYS
    for mode in modes
      if maparg(GROUP .. key, mode) ==# ''
        execute $'{mode}map {GROUP}{key} <Plug>(claude-{plug})'
      endif
    endfor
  endfor
enddef

defcompile
