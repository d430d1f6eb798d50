vim9script
# The mode of a terminal, and the keys that lead out of it. Vim itself remembers whether the user was typing in a terminal when they
# left it: someone who scrolls there in Normal mode comes back in Normal mode.

import autoload '../window/inside.vim'

var reading: dict<bool> = {} # by buffer: whether its window was left in Normal mode
var landed: dict<bool> = {} # by buffer: whether the user is there because another window has closed
var left_window = 0 # the window that the user has left last

def Left(bufnr: number)
  const is_reading = term_getstatus(bufnr) =~# 'normal'
  landed[bufnr] = is_reading && get(landed, bufnr, false)
  if !landed[bufnr]
    reading[bufnr] = is_reading
  endif
enddef

# The keys that the user types when the window that they were in has closed are not for the terminal.
# Later they type again, unless they have read before.
def Entered(bufnr: number)
  if win_id2tabwin(left_window) == [0, 0] && left_window > 0
    if term_getstatus(bufnr) !~# 'normal'
      landed[bufnr] = true
      feedkeys("\<C-\>\<C-n>", 'in')
    endif
  elseif get(landed, bufnr, false)
    landed[bufnr] = false
    Begin(bufnr)
  endif
enddef

# The user reads no more in a terminal.
export def Forget(bufnr: number)
  for states in [reading, landed]
    if has_key(states, bufnr)
      states->remove(string(bufnr))
    endif
  endfor
enddef

# Whether the user was reading in Normal mode when they left a terminal.
export def IsReading(bufnr: number): bool
  return get(reading, bufnr, false)
enddef

def Watch(bufnr: number)
  execute $'augroup claude_ide_typing_{bufnr}'
    autocmd!
    execute $'autocmd WinLeave <buffer={bufnr}> Left({bufnr})'
    execute $'autocmd WinEnter <buffer={bufnr}> Entered({bufnr})'
    # Whoever closes the window reads no more.
    execute $'autocmd WinClosed <buffer={bufnr}> if str2nr(expand("<amatch>")) == win_getid() | Forget({bufnr}) | endif'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once Forget({bufnr}) | autocmd! claude_ide_typing_{bufnr}'
  augroup END
  augroup claude_ide_left_window
    autocmd!
    autocmd WinLeave * left_window = win_getid()
  augroup END
enddef

# Let the user type in the current window, if it shows this terminal.
export def Begin(bufnr: number)
  if bufnr() == bufnr && term_getstatus(bufnr) =~# 'running.*normal'
    normal! i
  endif
enddef

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

# CTRL-H, J, K and L lead out of the terminal where the user maps them so in Normal mode. Without a
# window in the direction of a key, the CLI gets it.
def DefineKeys(bufnr: number)
  for direction in keys(NAVIGATORS)
    if IsMappedSo(direction)
      const is_alone = $'winnr("{direction}") == winnr()'
      const sent = $'"\<lt>C-{direction}>"'
      const goes = $'"\<lt>Cmd>wincmd {direction}\<lt>CR>"'
      inside.Run(bufnr, $'tnoremap <buffer> <expr> <C-{direction}> {is_alone} ? {sent} : {goes}')
    endif
  endfor
  # Suspended, the CLI could not be continued: it has no shell.
  inside.Run(bufnr, 'tnoremap <buffer> <C-z> <Cmd>suspend<CR>')
enddef

# Remember the mode of a terminal from now on, and define the keys that lead out of it if it has such.
export def Attach(bufnr: number, has_keys: bool)
  Watch(bufnr)
  if has_keys
    DefineKeys(bufnr)
  else
    # CTRL-W goes to the CLI; CTRL-\ CTRL-N leads out in any case.
    setbufvar(bufnr, '&termwinkey', '<C-\>')
  endif
enddef

defcompile
