vim9script
# Sends the user's words to the agent of the place where they are.

import autoload './channel.vim'

# Type words into a terminal; return whether there may be one.
export def Send(words: string): bool
  channel.Emit('commented', {words: words})
  return channel.IsOpen()
enddef

defcompile
