vim9script
# `:ClaudeLog`: shows the log in a window.

import autoload './messages/log.vim'
import autoload './messages/message.vim'

# Open the log at its end.
export def Open()
  const path = log.Path()
  if !filereadable(path)
    # Logging this message would make it false.
    message.ShowUnlogged('nothing has been logged yet', 'info')
    return
  endif
  # A text from outside: its modelines are not for us.
  const modeline = &modeline
  set nomodeline
  try
    execute 'split' fnameescape(path)
  finally
    &modeline = modeline
  endtry
  setlocal readonly autoread noswapfile nobuflisted
  normal! G
enddef

defcompile
