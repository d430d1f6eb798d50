vim9script
# Opens, hides and shows the Claude CLI in a terminal.

import autoload './terminal/clients.vim'
import autoload './terminal/focus.vim'
import autoload './terminal/pane.vim'
import autoload './terminal/register.vim'
import autoload './terminal/start.vim'
import autoload './terminal/typing_mode.vim'
import autoload './terminal/window.vim'
import autoload './timing/asked.vim'

# Called by the host with the process ids of the connected clients.
export def Connected(pids: list<number>): bool
  clients.Connected(pids)
  return true
enddef

# Called by the host: the process ids of the clients that belong to this tab page.
export def Here(): list<number>
  return clients.Here()
enddef

# Called by the host: the terminals that run, each as the id of its launch, its name, whether a
# command here can mean it, its folder, and the process ids of its clients. A command means that in
# which the user is, or else those of this tab page.
export def Running(): list<list<any>>
  const entered = register.Of(bufnr())
  return register.All()->mapnew((_, terminal) => {
    const is_meant = empty(entered) ? terminal.home == register.Tab() : terminal is entered
    return [terminal.launch, terminal.name, is_meant, terminal.worktree, clients.Of(terminal)]
  })
enddef

# Whether the terminal of `:Claude` is running.
export def IsRunning(): bool
  return !empty(register.Current())
enddef

# Called by the host for a CLI that an earlier editor has left in a pane of tmux.
export def Adopt(left: dict<any>): bool
  start.Adopt(left)
  return true
enddef

def TogglePane(terminal: dict<any>)
  if pane.IsShown(terminal.pane) && !terminal.is_found
    pane.Hide(terminal.pane)
  else
    focus.Show(terminal, true)
  endif
enddef

def ToggleBuffer(terminal: dict<any>)
  const bufnr: number = terminal.bufnr
  const is_tab = type(terminal.place.side) == v:t_string && terminal.place.side ==# 'tab'
  const win = window.Of(bufnr)
  if win == 0 && is_tab && window.IsShown(bufnr)
    focus.Go(bufnr, true)
  elseif win == 0
    window.Open(bufnr, terminal.place)
    typing_mode.Begin(bufnr)
  else
    const is_here = win == win_getid()
    if is_tab && is_here
      focus.Leave(bufnr)
    endif
    window.Close(win)
    if is_here
      typing_mode.Forget(bufnr)
    endif
  endif
enddef

def ToggleNow(request: dict<any>)
  const per = get(request, 'per', '')
  if type(per) == v:t_string && per !=# ''
    register.SetPer(per)
  endif
  const terminal = register.Usable()
  const failed = start.UnseenFailure()
  if !empty(request.arguments)
    start.Start(request)
  elseif !empty(terminal)
    const Toggled = empty(terminal.pane) ? ToggleBuffer : TogglePane
    Toggled(terminal)
  elseif failed > 0
    window.Open(failed, request)
    setbufvar(failed, '&bufhidden', 'wipe')
  else
    start.Start(request)
  endif
enddef

# Called by the host for `:Claude`. Start the CLI, or hide or show the running one. With arguments,
# start a new one, to be hidden and shown from then on. If the last one failed while it was hidden,
# show its output first. This happens when the user is at rest; an error is shown then.
export def Toggle(request: dict<any>): bool
  asked.Run(() => ToggleNow(request))
  return true
enddef

# Called by the host. Go to the terminal in which a client runs; to the terminal of `:Claude` if
# none is found. `pid` is the client's, 0 if it is unknown. Returns `error` if there is none.
export def Focus(pid: number): any
  const bufnr = clients.Buffer(pid)
  const found = clients.Terminal(pid)
  const terminal = empty(found) && bufnr == 0 ? register.Usable() : found
  if empty(terminal) && bufnr == 0
    return {error: pid == 0 ? 'no terminal of this Vim runs Claude (:Claude opens one)'
      : 'Claude is not in a terminal of this Vim; switch to it yourself'}
  elseif empty(terminal)
    asked.Run(() => focus.Go(bufnr, true))
  else
    asked.Run(() => focus.Show(terminal, true))
  endif
  return true
enddef

defcompile
