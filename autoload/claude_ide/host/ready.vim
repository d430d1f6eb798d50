vim9script
# Runs commands that need the host, if there is a Python that can run it.

import autoload './python.vim'
import autoload '../channel.vim'
import autoload '../say/message.vim'

# Run a command now, or say why it cannot run.
export def Run(name: string, options: dict<any>, Fn: func)
  const problem = channel.IsOpen() ? '' : python.Problem()
  if problem ==# ''
    Fn()
  else
    message.Show(python.Refusal(problem), 'error')
  endif
enddef

# The Python of the host cannot run it: show why.
export def LacksPython(problem: string)
  message.Show(python.Refusal(problem), 'error')
enddef
