vim9script
scriptencoding utf-8
# Runs the user's own 'makeprg' for the model, and fills the quickfix list with what it reports. The
# command has no word of the model's in it.

import autoload './place.vim'

const ENDS_WITHIN = 600000 # milliseconds after which the command is stopped
const DIES_WITHIN = 1000 # milliseconds
const LARGEST = 10000000 # bytes of output
const SHOWN = 4000 # bytes of output for the model
const FILE_NAME = '\\\?\%(%\|#\d*\)\%(:[phtre~.8S]\)*'

var expanded = '' # what `Expand` has made

def Option(bufnr: number, name: string): string
  return getbufvar(bufnr, '&' .. name) ?? eval('&g:' .. name)
enddef

def Quoted(match: string): string
  if match[0] ==# '\'
    return strpart(match, 1)
  endif
  const name = expand(substitute(match, ':S', '', 'g'))
  return name ==# '' ? match : shellescape(name)
enddef

# Called in a window: expand `%` and `#` with their modifiers, as `:make` does, but quoted for the
# shell. What names no file stays.
export def Expand(command: string)
  expanded = substitute(command, FILE_NAME, (found) => Quoted(found[0]), 'g')
enddef

# The command that would be run, and its folder.
export def Command(_: dict<any>): dict<any>
  const win = place.Window()
  const bufnr = winbufnr(win)
  const words = Option(bufnr, 'makeprg')->substitute('\$\*', '', 'g')
  win_execute(win, $'call claude_ide#tools#make#Expand({string(words)})')
  return {command: trim(expanded), folder: getcwd(win), efm: Option(bufnr, 'errorformat')}
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

def Stop(job: job)
  job_stop(job)
  timer_start(DIES_WITHIN, (_) => job_stop(job, 'kill'))
enddef

def Start(arguments: dict<any>, Answer: func): func
  final lines: list<string> = []
  final state = {size: 0, status: -1, is_closed: false, is_stopped: false, timer: 0}
  def Add(_: channel, line: string)
    if state.size < LARGEST
      lines->add(Shown(line))
      state.size += len(line) + 1
    endif
  enddef
  # The job may end before its output is read, and the other way round.
  def Conclude()
    if !state.is_closed || state.status < 0
      return
    endif
    timer_stop(state.timer)
    call(Answer, [{
      code: state.status,
      is_stopped: state.is_stopped,
      entries: Fill(arguments.command, arguments.efm, lines),
      output: Tail(join(lines, "\n")),
    }])
  enddef
  const job = job_start([&shell, &shellcmdflag, arguments.command], {
    in_io: 'null',
    out_mode: 'nl',
    err_io: 'out',
    cwd: arguments.folder,
    out_cb: Add,
    close_cb: (_) => {
      state.is_closed = true
      Conclude()
    },
    exit_cb: (_, status) => {
      state.status = status
      Conclude()
    },
  })
  if job_status(job) ==# 'fail'
    throw $'claude-ide: {arguments.command} could not be started'
  endif
  state.timer = timer_start(ENDS_WITHIN, (_) => {
    state.is_stopped = true
    Stop(job)
  })
  return () => Stop(job)
enddef

# Run the command that the user has agreed to, which `Command` has described.
export def Run(arguments: dict<any>): func
  return (Answer) => Start(arguments, Answer)
enddef

defcompile
