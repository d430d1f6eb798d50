vim9script
# The mode of a terminal. Vim itself remembers whether the user was typing in a terminal when they
# left it: someone who scrolls there in Normal mode comes back in Normal mode.

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

# Whoever closes the window reads no more. `win` is the window.
def Closed(bufnr: number, win: number)
  if win == win_getid()
    Forget(bufnr)
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

# Remember the mode of a terminal from now on.
export def Watch(bufnr: number)
  execute $'augroup claude_ide_typing_{bufnr}'
    autocmd!
    execute $'autocmd WinLeave <buffer={bufnr}> Left({bufnr})'
    execute $'autocmd WinEnter <buffer={bufnr}> Entered({bufnr})'
    execute $'autocmd WinClosed <buffer={bufnr}> Closed({bufnr}, str2nr(expand("<amatch>")))'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once Unwatch({bufnr})'
  augroup END
  augroup claude_ide_left_window
    autocmd!
    autocmd WinLeave * left_window = win_getid()
  augroup END
enddef

def Unwatch(bufnr: number)
  Forget(bufnr)
  execute $'autocmd! claude_ide_typing_{bufnr}'
enddef

# Let the user type in the current window, if it shows this terminal.
export def Begin(bufnr: number)
  if bufnr() == bufnr && term_getstatus(bufnr) =~# 'running.*normal'
    normal! i
  endif
enddef

defcompile
