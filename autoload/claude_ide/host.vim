vim9script
# Starts the Python host, sends commands to it, and restarts it when it dies.

import autoload './activity.vim'
import autoload './channel.vim'
import autoload './host/death.vim'
import autoload './host/environment.vim'
import autoload './host/options.vim'
import autoload './host/port_hold.vim'
import autoload './host/process.vim'
import autoload './file/folders.vim'
import autoload './messages/announce.vim'
import autoload './messages/log.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'

# Commands that need the host, but no server.
const WITHOUT_SERVER = ['ClaudeStop', 'ClaudeStatus', 'ClaudeTrust']

var server: dict<any> = {} # the last `port` and `token`; kept so that the server can return to them
var hooks = '' # the path of the Unix socket to which CLIs in terminals report
var running: job # the last one that was started
var serves = false # whether it serves or is about to serve
var serving = false
var clients = 0
var is_outdated = false # whether the host still runs the Python from before an update
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

def SetServing(on: bool)
  const must_announce = on || serving
  serving = on
  clients = on ? clients : 0
  if must_announce
    Announce(on_serving, on)
  endif
  activity.Changed()
enddef

# Free the port and restore the environment: there is no server until the user starts one.
def ReleasePort()
  port_hold.Release()
  environment.Restore()
enddef

# CLIs in terminals that find no socket wait for nobody.
def WithdrawHooks()
  if hooks !=# ''
    delete(hooks)
  endif
enddef

def Release()
  ReleasePort()
  WithdrawHooks()
enddef

# The same for each host. Its end says whose it is: CLIs that find it without a host wait as long as
# this Vim may start the next one.
def HooksPath(): string
  if hooks ==# '' && !has('win32')
    hooks = $'{tempname()}.{getpid()}'
  endif
  return hooks
enddef

def Restart(died: dict<any>)
  if Spawn(true)
    channel.Send([0, 'command', 'ClaudeStart', [], [], true, 0])
    message.Show($'{died.text} and was restarted', 'warn')
  else
    Release()
  endif
enddef

def GiveUp(died: dict<any>)
  Release()
  if died.lacks_python
    claude_ide#host#ready#LacksPython(died.reason)
  else
    message.Show(died.is_explained ? died.reason : $'{died.reason} (:ClaudeLog)', 'error')
  endif
enddef

def Ended(code: number, stderr: list<string>)
  channel.Close()
  process.Withdraw(running)
  if type(v:exiting) != v:t_none
    return
  endif
  const died = death.Of(code, stderr)
  const was_serving = serving || (serves && died.was_killed)
  SetServing(false)
  Announce(on_exit, code != 0 ? died.reason : '')
  if code == 0
    Release()
    return
  endif
  death.Log(died, stderr)
  if was_serving && death.MayRestart()
    Restart(died)
  else
    GiveUp(died)
  endif
enddef

# The token of the server, if its port is held: otherwise another process may have listened on the
# port, and received the token.
def HeldToken(): string
  return !empty(server) && port_hold.Port() == server.port ? server.token : ''
enddef

# Start a host; it binds a port at once if it `serve`s. Returns false, after a message to the user,
# if it cannot run.
def Spawn(serve: bool): bool
  if &encoding !=# 'utf-8'
    message.Show($"'encoding' is {&encoding}, but claude-ide needs utf-8", 'error')
    return false
  endif
  const [config, complaints] = options.Sendable(get(g:, 'claude_ide', {}))
  for complaint in complaints
    message.Show(complaint, 'warn')
  endfor
  final given: dict<any> = {
    config: config,
    folders: folders.All(),
    log: log.Path(),
    state: log.Folder(),
    serve: serve,
    port: get(server, 'port', 0),
    token: HeldToken(),
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
export def Bound(port: number, token: string): bool
  server = {port: port, token: token}
  environment.Announce(port)
  return true
enddef

# Called by the host when its server accepts clients.
export def Listening(port: number, token: string): bool
  Bound(port, token)
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
  activity.Changed()
  return true
enddef

# Called by the host when the server has been stopped on request, or could not be started.
export def Stopped(): bool
  serves = false
  SetServing(false)
  ReleasePort()
  return true
enddef

# The `port` and `token` of the running server and its number of `clients`; empty if none is running.
export def Server(): dict<any>
  return serving ? extendnew(server, {clients: clients}) : {}
enddef

defcompile
