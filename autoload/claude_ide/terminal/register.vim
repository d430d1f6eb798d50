vim9script
# The CLIs that `:Claude` has started: which one commands mean, to which tab page each belongs, and
# which clients run in them.
#
# A terminal is a dict: its `bufnr`, 0 if it is in a `pane` of the user's tmux, which the host shows and
# hides (`hooks/panes.py`): {id, pid}, otherwise empty; its `name`, its `place` (`side` and `size`), the
# `launch` under which it reports what it does (empty if it does not), its `home` (`Tab`), the `folder` in
# which it was started, its `worktree`, and whether it `is_found`: an earlier editor has left it, and the user was not there yet.

import autoload '../channel.vim'
import autoload '../messages/screen.vim'
import autoload '../own_options.vim'
import autoload '../status_line.vim'
import autoload '../system/program.vim'
import autoload '../window/location.vim'

var terminals: list<dict<any>> = [] # the last used one first
# By the process id of a connected client: those of itself and its ancestors.
var lineages: dict<list<number>> = {}
var last_tab = 0
var last_name = 0

# A number that a tab page keeps, unlike the one that Vim gives it. Default: the current one.
export def Tab(tab: number = tabpagenr()): number
  var id = gettabvar(tab, 'claude_ide_tab', 0)
  if id == 0
    last_tab += 1
    id = last_tab
    settabvar(tab, 'claude_ide_tab', id)
  endif
  return id
enddef

# The number that Vim gives to the tab page with a number from `Tab`; 0 if it is closed.
export def TabNumber(id: number): number
  return range(1, tabpagenr('$'))
    ->indexof((_, tab) => gettabvar(tab, 'claude_ide_tab', 0) == id) + 1
enddef

def Worktree(): string
  const here = getcwd()
  const above = escape(here, ' ,;*\') .. ';'
  # A linked worktree, which has a file, is often inside the main one.
  final found = [finddir('.git', above), findfile('.git', above)]
    ->filter((_, path) => path !=# '')
    ->map((_, path) => fnamemodify(path, ':p')->substitute('/\?\.git/\?$', '', ''))
  return get(sort(found, (one, other) => len(other) - len(one)), 0, here)
enddef

def IsAlive(terminal: dict<any>): bool
  if !empty(terminal.pane)
    return program.IsAlive(terminal.pane.pid)
  endif
  return bufexists(terminal.bufnr) && term_getstatus(terminal.bufnr) =~# 'running'
enddef

def Report()
  status_line.Report('terminals', mapnew(terminals, (_, terminal) => terminal.name))
enddef

# Forget a terminal whose CLI has ended.
export def Remove(terminal: dict<any>)
  const index = terminals->indexof((_, other) => other is terminal)
  if index < 0
    return
  endif
  terminals->remove(index)
  Report()
  if terminal.launch !=# ''
    channel.Emit('terminal_ended', {launch: terminal.launch})
  endif
enddef

# All that run, the last used one first.
export def All(): list<dict<any>>
  for terminal in copy(terminals)
    if !IsAlive(terminal)
      Remove(terminal)
    endif
  endfor
  return terminals
enddef

def Find(Test: func(dict<any>): bool): dict<any>
  const index = All()->indexof((_, terminal) => Test(terminal))
  return index < 0 ? {} : terminals[index]
enddef

# The terminal of a buffer; empty if it is none of ours, or its CLI has ended.
export def Of(bufnr: number): dict<any>
  return bufnr == 0 ? {} : Find((terminal) => terminal.bufnr == bufnr)
enddef

# Whether commands can mean a terminal here.
def IsMeant(terminal: dict<any>): bool
  const per = own_options.Get('terminal', 'per')
  if per ==# 'tab'
    return terminal.home == Tab()
  elseif per ==# 'worktree'
    return terminal.worktree ==# Worktree()
  endif
  return true
enddef

# The one that commands mean: the one that the user is in, or the last used one; with the option
# `terminal.per` the last used one of this tab page, or of this worktree. Empty if there is none.
export def Current(): dict<any>
  const entered = Of(bufnr())
  return empty(entered) ? Find(IsMeant) : entered
enddef

# Add a terminal: its `bufnr` or `pane`, `place` and `launch`, and perhaps whether it `is_found`, or which
# session in the background it is `attached` to.
export def Add(given: dict<any>): dict<any>
  final terminal = extendnew({bufnr: 0, pane: {}, is_found: false, attached: ''}, given)
  last_name += 1
  extend(terminal, {name: string(last_name), home: Tab(), folder: getcwd(), worktree: Worktree()})
  terminals->insert(terminal)
  Report()
  return terminal
enddef

# Describe a terminal in `b:claude_ide`; `state` is "idle", "working" or "wants you".
export def Describe(terminal: dict<any>, state: string)
  const described = {name: terminal.name, folder: terminal.folder, state: state}
  setbufvar(terminal.bufnr, 'claude_ide', described)
enddef

# Called by the host: what the CLI in a terminal does.
export def SetState(launch: string, state: string): bool
  const terminal = Find((each) => each.launch ==# launch)
  if !empty(terminal) && terminal.bufnr > 0
    Describe(terminal, state)
    screen.DrawStatusLines()
  endif
  return true
enddef

# Note that the user uses a terminal in this tab page. It belongs here from now on, unless every tab
# page has its own.
export def Use(terminal: dict<any>)
  const index = terminals->indexof((_, other) => other is terminal)
  if index < 0
    return
  endif
  terminals->insert(terminals->remove(index))
  if own_options.Get('terminal', 'per') !=# 'tab' || TabNumber(terminal.home) == 0
    terminal.home = Tab()
  endif
enddef

# The clients. `pid` is the process id of one, 0 if it is unknown.

def RunsInJob(pid: number, job: number): bool
  return get(lineages, pid, [])->index(job) >= 0
enddef

def RunsInBuffer(pid: number, bufnr: number): bool
  const running = term_getjob(bufnr)
  return job_status(running) ==# 'run' && RunsInJob(pid, job_info(running).process)
enddef

def RunsIn(pid: number, terminal: dict<any>): bool
  return empty(terminal.pane) ? RunsInBuffer(pid, terminal.bufnr) : RunsInJob(pid, terminal.pane.pid)
enddef

# The process ids of the clients of which something holds.
def ClientsThat(Test: func(number): bool): list<number>
  return keys(lineages)->mapnew((_, pid) => str2nr(pid))->filter((_, pid) => Test(pid))
enddef

# The terminal in which a client runs: only its `bufnr` if the user has opened it; empty if none is found.
export def OfClient(pid: number): dict<any>
  const own = Find((terminal) => RunsIn(pid, terminal))
  const other = term_list()->indexof((_, bufnr) => RunsInBuffer(pid, bufnr))
  return !empty(own) || other < 0 ? own : {bufnr: term_list()[other], pane: {}}
enddef

# The terminal with a name; empty if there is none.
export def Named(name: string): dict<any>
  return Find((terminal) => terminal.name ==# name)
enddef

# Called by the host: the session of a terminal works in another worktree.
export def WorkIn(name: string, worktree: string): bool
  final terminal = Named(name)
  if !empty(terminal)
    terminal.worktree = worktree
  endif
  return true
enddef

# Called by the host: the terminals that run, the last used one first (`Terminal` of the port).
export def Running(): list<dict<any>>
  const current = Current()
  return All()->mapnew((_, terminal) => ({
    launch: terminal.launch,
    name: terminal.name,
    is_current: terminal is current,
    folder: terminal.worktree,
    pids: ClientsThat((pid) => RunsIn(pid, terminal)),
    pane: get(terminal.pane, 'id', ''),
    pid: empty(terminal.pane) ? job_info(term_getjob(terminal.bufnr)).process : terminal.pane.pid,
    attached: terminal.attached,
  }))
enddef

# The tab page to which a client belongs, 0 if it is unknown, and the launch of its terminal, if that is
# ours. A terminal that the user has opened belongs where it is shown.
def Home(pid: number): list<any>
  const terminal = OfClient(pid)
  if empty(terminal)
    return [0, '']
  elseif has_key(terminal, 'home')
    return [TabNumber(terminal.home), get(terminal, 'launch', '')]
  endif
  const tabs = win_findbuf(terminal.bufnr)->mapnew((_, win) => win_id2tabwin(win)[0])
  return [tabs->index(tabpagenr()) >= 0 ? tabpagenr() : get(tabs, 0, 0), '']
enddef

location.FindBy(Home)

# Called by the host: the process ids of the clients that belong to this tab page, which are those in
# the terminal that commands mean, if it belongs here.
export def Here(): list<number>
  const current = Current()
  const found = ClientsThat((pid) => Home(pid)[0] == tabpagenr())
  const meant = empty(current) ? [] : found->copy()->filter((_, pid) => RunsIn(pid, current))
  return meant ?? found
enddef

# Mark the buffers in which a client runs: `:ClaudeFocus` goes there.
export def Mark()
  for bufnr in term_list()
    const is_claudes = !empty(Of(bufnr)) || !empty(ClientsThat((pid) => RunsInBuffer(pid, bufnr)))
    setbufvar(bufnr, 'claude_ide_terminal', is_claudes)
  endfor
enddef

# Called by the host with the connected clients: of each its process id, and those of its ancestors.
export def Connected(connected: list<list<number>>): bool
  lineages = {}
  for lineage in connected
    lineages[lineage[0]] = lineage
  endfor
  Mark()
  return true
enddef

defcompile
