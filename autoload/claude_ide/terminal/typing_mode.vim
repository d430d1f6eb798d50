vim9script
# The mode of a terminal. Vim itself remembers whether the user was typing in a terminal when they
# left it: someone who scrolls there in Normal mode comes back in Normal mode.

# Let the user type in the current window, if it shows this terminal.
export def Begin(bufnr: number)
  if bufnr() == bufnr && term_getstatus(bufnr) =~# 'running.*normal'
    normal! i
  endif
enddef

defcompile
