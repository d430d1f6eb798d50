vim9script
# The user's own 'makeprg', which the host runs for the model (`mcp/model/making.py`), and the list of
# what it reports.

import autoload './place.vim'
import autoload '../system/shell_command.vim'

def Option(bufnr: number, name: string): string
  return getbufvar(bufnr, '&' .. name) ?? eval('&g:' .. name)
enddef

# The command that would be run, its folder, its shell and its environment.
export def Command(_: dict<any>): dict<any>
  const win = place.Window()
  const bufnr = winbufnr(win)
  const words = Option(bufnr, 'makeprg')->substitute('\$\*', '', 'g')
  const Inside = (command) => {
    win_execute(win, command)
  }
  const command = trim(shell_command.Expand(words, Inside))
  return {
    command: command,
    folder: getcwd(win),
    efm: Option(bufnr, 'errorformat'),
    shell: [&shell] + split(&shellcmdflag),
    environment: environ(),
  }
enddef

# Put what the command has printed into a new list after all others. Returns how many places 'errorformat'
# has found.
export def Fill(arguments: dict<any>): dict<any>
  const title = ':' .. arguments.command
  setqflist([], ' ', {nr: '$', title: title, lines: arguments.lines, efm: arguments.efm})
  silent doautocmd <nomodeline> QuickFixCmdPost make
  return {entries: getqflist()->filter((_, entry) => entry.valid)->len()}
enddef

defcompile
