vim9script
# The keys that the option `keys` maps: those of `:help claude-ide-keys` that Vim has, where the
# user has no map.

import autoload './host/python.vim'
import autoload './messages/message.vim'

const GROUP = '<Leader>a'

# The keys of what only Neovim has.
const LACKING = ['chat', 'prompt', 'new', 'switch']

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
  const all: list<list<string>> = python.Json('editor/tables.json').keys
  for [key, plug, _, modes] in copy(all)->filter((_, row) => index(LACKING, row[1]) < 0)
    for mode in split(modes, '\zs')
      if maparg(GROUP .. key, mode) ==# ''
        execute $'{mode}map {GROUP}{key} <Plug>(claude-{plug})'
      endif
    endfor
  endfor
enddef

defcompile
