vim9script
# Which client runs in which terminal.

import autoload '../diff/why.vim' as diff_why
import autoload './register.vim'
import autoload '../system/program.vim'
import autoload '../window/home.vim'

const MOST_ANCESTORS = 20

var pids: list<number> = [] # the connected clients'

# The parent of a process; 0 if it is unknown.
def Parent(pid: number): number
  if isdirectory('/proc/self')
    const stat = $'/proc/{pid}/stat'
    # The name of the program, in parentheses, may contain anything.
    return filereadable(stat)
      ? readfile(stat)->join(' ')->matchstr('.*) \S \zs\d\+')->str2nr() : 0
  endif
  return program.Run([program.Find('ps'), '-o', 'ppid=', '-p', string(pid)]).output->trim()->str2nr()
enddef

def IsDescendant(given: number, ancestor: number): bool
  var pid = given
  for _ in range(MOST_ANCESTORS)
    if pid == ancestor
      return true
    elseif pid <= 1
      return false
    endif
    pid = Parent(pid)
  endfor
  return false
enddef

def RunsInBuffer(pid: number, bufnr: number): bool
  const running = term_getjob(bufnr)
  return pid > 0 && job_status(running) ==# 'run'
    && IsDescendant(pid, job_info(running).process)
enddef

def RunsIn(pid: number, terminal: dict<any>): bool
  return empty(terminal.pane) ? RunsInBuffer(pid, terminal.bufnr)
    : pid > 0 && IsDescendant(pid, terminal.pane.pid)
enddef

# The buffer of the terminal in which a client runs; 0 if none is found. `pid` is 0 if unknown.
export def Buffer(pid: number): number
  const found = term_list()->indexof((_, bufnr) => RunsInBuffer(pid, bufnr))
  return found < 0 ? 0 : term_list()[found]
enddef

# The process ids of the connected clients that run in a terminal of ours.
export def Of(terminal: dict<any>): list<number>
  return pids->copy()->filter((_, pid) => RunsIn(pid, terminal))
enddef

# The terminal of ours in which a client runs; empty if none is found. `pid` is 0 if unknown.
export def Terminal(pid: number): dict<any>
  const found = register.All()->indexof((_, terminal) => RunsIn(pid, terminal))
  return found < 0 ? {} : register.All()[found]
enddef

# The tab page to which the client of a process belongs; 0 if it is unknown. A terminal that the
# user has opened belongs where it is shown.
def Home(pid: number): number
  const terminal = Terminal(pid)
  if !empty(terminal)
    return register.TabNumber(terminal.home)
  endif
  const bufnr = Buffer(pid)
  const tabs = bufnr == 0 ? [] : win_findbuf(bufnr)->map((_, win) => win_id2tabwin(win)[0])
  return tabs->index(tabpagenr()) >= 0 ? tabpagenr() : get(tabs, 0, 0)
enddef

def Launch(pid: number): string
  return get(Terminal(pid), 'launch', '')
enddef

home.FindBy(Home)
diff_why.FindBy(Launch)

# The clients that belong to this tab page: those in the terminal that commands mean, if it belongs
# here.
export def Here(): list<number>
  const current = register.Current()
  const found = pids->copy()->filter((_, pid) => Home(pid) == tabpagenr())
  const meant = empty(current) ? []
    : found->copy()->filter((_, pid) => RunsIn(pid, current))
  return empty(meant) ? found : meant
enddef

# Mark the buffers in which a client runs: `:ClaudeFocus` goes there.
export def Mark()
  const marked = pids->mapnew((_, pid) => Buffer(pid))
  for bufnr in term_list()
    const mark = marked->index(bufnr) >= 0 || !empty(register.Of(bufnr))
    setbufvar(bufnr, 'claude_ide_terminal', mark)
  endfor
enddef

# Note which clients are connected.
export def Connected(connected: list<number>)
  pids = connected
  Mark()
enddef

defcompile
