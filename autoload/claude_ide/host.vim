vim9script
# Starts the Python host, sends commands to it, and restarts it when it dies.

import autoload './channel.vim'
import autoload './host/port_hold.vim'
import autoload './host/process.vim'
import autoload './messages/announce.vim'
import autoload './messages/log.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'

# Commands that need the host, but no server.
const WITHOUT_SERVER = ['ClaudeStop', 'ClaudeStatus', 'ClaudeTrust']
const MOST_RESTARTS = 3
const RESTART_WINDOW = 60.0 # seconds
# Exit codes of a host that has printed the reason (`host.py`).
const UNABLE = 3
const CANNOT_SERVE = 4

# The last `port` and `token`, kept so that the server can return to them; and the `lock`, the file that
# announces it to the CLI, empty if there is none.
var server: dict<any> = {}
var hooks = '' # the path of the Unix socket to which CLIs in terminals report
var running: job # the last one that was started
var serves = false # whether it serves or is about to serve
var serving = false
var clients = 0
var is_outdated = false # whether the host still runs the Python from before an update
var restarts: list<list<number>> = [] # times of recent restarts
var on_serving: list<func> = []
var on_exit: list<func> = []

# Call `Fn` with true when the server accepts clients, and with false when it stops.
export def OnServing(Fn: func)
  on_serving->add(Fn)
enddef

# Call `Fn` when a host has ended while Vim continues, with the reason if that was unexpected.
export def OnExit(Fn: func)
  on_exit->add(Fn)
enddef

# The failure of one subscriber is shown and affects no other.
def Announce(subscribers: list<func>, argument: any)
  for Subscriber in subscribers
    const failure = reason.Try(Subscriber, [argument])
    if failure !=# ''
      message.Show(failure, 'error')
    endif
  endfor
enddef

def ReportClients()
  claude_ide#status#Report('clients', serving ? clients : null)
enddef

def SetServing(on: bool)
  const must_announce = on || serving
  serving = on
  clients = on ? clients : 0
  ReportClients()
  if must_announce
    Announce(on_serving, on)
  endif
enddef

# Free the port and restore the environment: there is no server until the user starts one.
def ReleasePort()
  port_hold.Release()
  claude_ide#server_traces#RestoreVariables()
enddef

def Release()
  ReleasePort()
  # CLIs in terminals that find no socket wait for nobody.
  if hooks !=# ''
    delete(hooks)
  endif
enddef

# The same for each host. Its end says whose it is: CLIs that find it without a host wait as long as
# this Vim may start the next one.
def HooksPath(): string
  if hooks ==# '' && !has('win32')
    hooks = $'{tempname()}.{getpid()}'
  endif
  return hooks
enddef

# Count a restart, and refuse it after three within a minute.
def MayRestart(): bool
  const now = reltime()
  restarts->filter((_, at) => reltimefloat(reltime(at, now)) < RESTART_WINDOW)
  restarts->add(now)
  return len(restarts) <= MOST_RESTARTS
enddef

def Restart(text: string)
  if Spawn(true)
    channel.Send([0, 'command', 'ClaudeStart', [], [], true, 0])
    message.Show($'{text} and was restarted', 'warn')
  else
    Release()
  endif
enddef

# `code` is -1 if a signal has killed the host.
def Ended(code: number, stderr: list<string>)
  channel.Close()
  if get(server, 'lock', '') !=# ''
    claude_ide#server_traces#RemoveLock(server.lock)
    server.lock = ''
  endif
  if type(v:exiting) != v:t_none
    return
  endif
  const text = $'the Python host died ({code < 0 ? "killed" : $"exit {code}"})'
  const why = get(stderr, -1, text)
  const was_serving = serving || (serves && code < 0)
  SetServing(false)
  Announce(on_exit, code != 0 ? why : '')
  if code == 0
    Release()
    return
  endif
  # If the host died before it opened the log, this is the only trace.
  log.Append([text] + stderr)
  if was_serving && MayRestart()
    Restart(text)
    return
  endif
  Release()
  if code == UNABLE
    claude_ide#host#ready#LacksPython(why)
  else
    message.Show(code == CANNOT_SERVE ? why : $'{why} (:ClaudeLog)', 'error')
  endif
enddef

# Start a host; it binds a port at once if it `serve`s. Returns false, after a message to the user,
# if it cannot run.
def Spawn(serve: bool): bool
  if &encoding !=# 'utf-8'
    message.Show($"'encoding' is {&encoding}, but claude-ide needs utf-8", 'error')
    return false
  endif
  final given: dict<any> = {
    config: process.Sendable(get(g:, 'claude_ide', {})),
    folders: claude_ide#places#Folders(),
    log: log.Path(),
    state: log.Folder(),
    serve: serve,
    port: get(server, 'port', 0),
    # Unless the port is held, another process may have listened on it, and received the token.
    token: !empty(server) && port_hold.Port() == server.port ? server.token : '',
    hold: port_hold.Path(),
    hooks: HooksPath(),
  }
  const started = reason.Attempt(process.Start, [given, Ended])
  if !started[0]
    message.Show(started[1], 'error')
    return false
  endif
  running = started[1]
  is_outdated = false
  serves = serve
  channel.Open(job_getchannel(running))
  return true
enddef

# Start the host without a server, if it is not running. Returns whether it is running.
export def Start(): bool
  return channel.IsOpen() || Spawn(false)
enddef

# Python has been updated: the next `:ClaudeStop` ends the whole host, so that the next one runs the
# new Python. Returns whether a host still runs the old one.
export def Outdate(): bool
  is_outdated = channel.IsOpen()
  return is_outdated
enddef

def StopOutdated(bang: bool)
  is_outdated = false
  process.Stop(running)
  if !bang
    message.Show('stopped', 'info')
  endif
enddef

# Send a command to the host, which is started if necessary. `given` has the command's `args`,
# `lines` (empty without a range) and `bang`.
export def Command(name: string, given: dict<any>)
  if name ==# 'ClaudeStop' && is_outdated && channel.IsOpen()
    StopOutdated(given.bang)
  elseif channel.IsOpen() || Spawn(WITHOUT_SERVER->index(name) < 0)
    channel.Send([0, 'command', name, given.args, given.lines, given.bang, bufnr()])
  endif
enddef

# Called by the host as soon as it has bound its port, before anything else: processes may find it
# now.
export def Bound(port: number, token: string, lock: string): bool
  server = {port: port, token: token, lock: lock}
  claude_ide#server_traces#SetVariables(port)
  return true
enddef

# Called by the host when its server accepts clients.
export def Listening(port: number, token: string, lock: string): bool
  Bound(port, token, lock)
  port_hold.Hold(port)
  serves = true
  SetServing(true)
  return true
enddef

# Called by the host when a client connects or disconnects.
export def Clients(count: number): bool
  const event = count > clients ? 'ClaudeConnected' : 'ClaudeDisconnected'
  clients = count
  announce.Event(event, {clients: count})
  ReportClients()
  return true
enddef

# Called by the host when the server has been stopped on request, or could not be started.
export def Stopped(): bool
  serves = false
  server.lock = ''
  SetServing(false)
  ReleasePort()
  return true
enddef

# The `port` and `token` of the running server and its number of `clients`; empty if none is running.
export def Server(): dict<any>
  return serving ? extendnew(server, {clients: clients}) : {}
enddef

defcompile
