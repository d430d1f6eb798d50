vim9script
# The mode of a terminal. Vim itself remembers whether the user was typing in a terminal when they
# left it: someone who scrolls there in Normal mode comes back in Normal mode.

var reading: dict<bool> = {} # by buffer: whether its window was left in Normal mode

def Left(bufnr: number)
  reading[bufnr] = term_getstatus(bufnr) =~# 'normal'
enddef

# Whoever closes the window reads no more. `win` is the window.
def Closed(bufnr: number, win: number)
  if win == win_getid()
    Forget(bufnr)
  endif
enddef

# The user reads no more in a terminal.
export def Forget(bufnr: number)
  if has_key(reading, bufnr)
    reading->remove(string(bufnr))
  endif
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
    execute $'autocmd WinClosed <buffer={bufnr}> Closed({bufnr}, str2nr(expand("<amatch>")))'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once Unwatch({bufnr})'
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
