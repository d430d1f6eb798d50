vim9script
# The keys CTRL-H, J, K and L lead out of the CLI's terminal where the user maps them so in Normal mode.

import autoload '../window/inside.vim'

# What a mapping does that goes to the window in a direction.
const WAYS = ['^<c-w>%s$', '^<c-w><c-%s>$', '^[:<].*wincmd %s<cr>$']
const NAVIGATORS = {h: 'left', j: 'down', k: 'up', l: 'right'} # of vim-tmux-navigator

# Whether the user's key CTRL-`direction` goes to the window in this direction, and is theirs in no
# terminal.
def IsMappedSo(direction: string): bool
  const key = $'<C-{direction}>'
  const rhs = maparg(key, 'n')->tolower()
  const goes = WAYS->copy()->indexof((_, way) => rhs =~# printf(way, direction)) >= 0
  const navigates = rhs =~# 'tmuxnavigate' .. NAVIGATORS[direction]
  return (goes || navigates) && maparg(key, 't') ==# ''
enddef

# Define the keys in a terminal. Without a window in the direction of a key, the CLI gets it.
export def Define(bufnr: number)
  for direction in keys(NAVIGATORS)
    if IsMappedSo(direction)
      const is_alone = $'winnr("{direction}") == winnr()'
      const sent = $'"\<lt>C-{direction}>"'
      const goes = $'"\<lt>Cmd>wincmd {direction}\<lt>CR>"'
      inside.Run(bufnr, $'tnoremap <buffer> <expr> <C-{direction}> {is_alone} ? {sent} : {goes}')
    endif
  endfor
enddef

defcompile
