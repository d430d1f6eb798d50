vim9script
scriptencoding utf-8
# Runs the user's own 'makeprg' for the model, and fills the quickfix list with what it reports. The
# command has no word of the model's in it.

import autoload './place.vim'
import autoload '../system/shell_command.vim'

const ENDS_WITHIN = 600000 # milliseconds after which the command is stopped
# Of the output. Vim would not react while it parses more lines.
const MOST = {bytes: 10000000, lines: 100000}
const SHOWN = 4000 # bytes of output for the model

def Option(bufnr: number, name: string): string
  return getbufvar(bufnr, '&' .. name) ?? eval('&g:' .. name)
enddef

# The command that would be run, and its folder.
export def Command(_: dict<any>): dict<any>
  const win = place.Window()
  const bufnr = winbufnr(win)
  const words = Option(bufnr, 'makeprg')->substitute('\$\*', '', 'g')
  const Inside = (command) => {
    win_execute(win, command)
  }
  const command = trim(shell_command.Expand(words, Inside))
  return {command: command, folder: getcwd(win), efm: Option(bufnr, 'errorformat')}
enddef

# What a terminal would show of a line: no colours, and what a progress bar has left. 'errorformat'
# would not recognize anything else.
def Shown(line: string): string
  return line->substitute('\e\[[0-9;:?]*\a', '', 'g')
    ->substitute('\e\][^\x07\x1b]*\%x07', '', 'g')
    ->substitute('\r\+$', '', '')
    ->matchstr('[^\r]*$')
enddef

# A new list after all others. Returns how many places 'errorformat' has found.
def Fill(command: string, efm: string, lines: list<string>): number
  setqflist([], ' ', {nr: '$', title: ':' .. command, lines: lines, efm: efm})
  silent doautocmd <nomodeline> QuickFixCmdPost make
  return getqflist()->filter((_, entry) => entry.valid)->len()
enddef

def Tail(text: string): string
  return len(text) > SHOWN ? '…' .. strpart(text, len(text) - SHOWN) : text
enddef

def Start(arguments: dict<any>, Answer: func): func
  final lines: list<string> = []
  final state = {is_stopped: false, is_cancelled: false, timer: 0}
  def Add(line: string)
    # Vim would do nothing else for seconds, for nobody.
    if !state.is_cancelled
      lines->add(Shown(line))
    endif
  enddef
  def Conclude(code: number, _: string)
    timer_stop(state.timer)
    if state.is_cancelled
      return
    endif
    call(Answer, [{
      code: code,
      is_stopped: state.is_stopped,
      entries: Fill(arguments.command, arguments.efm, lines),
      output: Tail(join(lines, "\n")),
    }])
  enddef
  const job = shell_command.Start(arguments.command, arguments.folder, [], MOST, Add, Add, Conclude)
  const Stop = () => {
    state.is_stopped = true
    shell_command.Stop(job)
  }
  state.timer = timer_start(ENDS_WITHIN, (_) => Stop())
  return () => {
    state.is_cancelled = true
    Stop()
  }
enddef

# Run the command that the user has agreed to, which `Command` has described.
export def Run(arguments: dict<any>): func
  return (Answer) => Start(arguments, Answer)
enddef

defcompile
