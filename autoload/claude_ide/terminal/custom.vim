vim9script
# The user's function that opens terminals (the option `terminal.side`). Only Vim reads it: a
# function cannot be passed to the host.

import autoload '../own_options.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

# Vim9 script would look for a global function that has no `g:` in this script only.
def Callable(Fn: func): func
  const name: string = get(Fn, 'name')
  return name =~# '^\u\w*$' ? function('g:' .. name, get(Fn, 'args')) : Fn
enddef

# The user's function in a list; an empty list if there is none.
export def Find(): list<func>
  const Side = own_options.Get('terminal', 'side')
  return type(Side) == v:t_func ? [Callable(Side)] : []
enddef

# Call the user's function. An error is shown, and so is a result that is no buffer. Returns the
# buffer of the terminal; 0 if it is not in this Vim.
export def Call(Open: func, terminal: dict<any>): number
  const outcome = reason.Attempt(Open, [terminal])
  if !outcome[0]
    message.Show($'terminal.side: {outcome[1]}', 'error')
    return 0
  endif
  const result = outcome[1]
  const is_buffer = type(result) == v:t_number && bufexists(result)
  const is_elsewhere = type(result) == v:t_none || (type(result) == v:t_number && result == 0)
  if has_key(terminal, 'cmd') && !is_buffer && !is_elsewhere
    message.Show($'terminal.side returned {string(result)}, not a buffer; 0: none here', 'error')
  endif
  return is_buffer ? result : 0
enddef

defcompile
