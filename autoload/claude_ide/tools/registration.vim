vim9script
# The text of `:ClaudeMcpConfig` in a register.

import autoload '../messages/message.vim'
import autoload '../messages/yank.vim'

# Called by the host: put a text into the register that |p| uses.
export def Yank(text: string): bool
  yank.Text(text, 'l')
  message.Show('yanked: put it with p', 'info')
  return true
enddef

defcompile
