vim9script
# `:ClaudeMcpConfig`: its completion, and its text in a register.

import autoload '../messages/message.vim'
import autoload '../messages/yank.vim'

const SUBCOMMANDS = ['stdio', 'ws']

# Complete the subcommand.
export def Complete(lead: string, line: string, pos: number): list<string>
  const before = strpart(line, 0, pos - len(lead))->split()
  return len(before) != 1 ? []
    : SUBCOMMANDS->copy()->filter((_, name) => stridx(name, lead) == 0)
enddef

# Called by the host: put a text into the register that |p| uses.
export def Yank(text: string): bool
  yank.Text(text, 'l')
  message.Show('yanked: put it with p', 'info')
  return true
enddef

defcompile
