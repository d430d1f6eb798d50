vim9script
# Starts the Python host, sends commands to it, and restarts it when it dies.

import autoload './channel.vim'
import autoload './host/port_hold.vim'
import autoload './host/process.vim'
import autoload './messages/log.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'

# Commands that need the host, but no server.
const WITHOUT_SERVER = ['ClaudeStop', 'ClaudeStatus', 'ClaudeTrust']
# Exit codes of a host that has printed the reason (`host.py`).
const UNABLE = 3
const CANNOT_SERVE = 4

var running: job # the last one that was started
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

# Only for `server.vim`.
export def AnnounceServing(on: bool)
  Announce(on_serving, on)
enddef

def Restart(text: string)
  if Spawn(true)
    channel.Send([0, 'command', 'ClaudeStart', [], [], true, []])
    message.Show($'{text} and was restarted', 'warn')
  else
    claude_ide#server#Release()
  endif
enddef

# `code` is -1 if a signal has killed the host.
def Ended(code: number, stderr: list<string>)
  channel.Close()
  claude_ide#server#RemoveLock()
  if type(v:exiting) != v:t_none
    return
  endif
  const text = $'the Python host died ({code < 0 ? "killed" : $"exit {code}"})'
  var why = get(stderr, -1, text)
  const was_serving: bool = claude_ide#server#Ended(code < 0)
  if code == 0 && !was_serving && !is_outdated
    # Such as another program that `python` names.
    why ..= ': ' .. claude_ide#python#Find().path
  elseif code == 0
    Announce(on_exit, '')
    claude_ide#server#Release()
    return
  endif
  Announce(on_exit, why)
  # If the host died before it opened the log, this is the only trace.
  log.Append([text] + stderr)
  if was_serving && claude_ide#server#MayRestart()
    Restart(text)
    return
  endif
  claude_ide#server#Release()
  if code == UNABLE
    claude_ide#ready#LacksPython(why)
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
    log: log.Path(),
    state: claude_ide#editor#Folder('state'),
    hold: port_hold.Path(),
  }
  extend(given, claude_ide#server#Starting(serve, port_hold.Port()))
  const started = reason.Attempt(process.Start, [given, Ended])
  if !started[0]
    message.Show(started[1], 'error')
    return false
  endif
  running = started[1]
  is_outdated = false
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
    const at = [bufnr(), line('.') - 1, b:changedtick, expand('%:p')]
    channel.Send([0, 'command', name, given.args, given.lines, given.bang, at])
  endif
enddef

# Called by the host as soon as it has bound its port, before anything else.
export def Bound(port: number, token: string, lock: string): bool
  claude_ide#server#Bound(port, token, lock)
  return true
enddef

# Called by the host when its server accepts clients.
export def Listening(port: number, token: string, lock: string): bool
  claude_ide#server#Bound(port, token, lock)
  port_hold.Hold(port)
  claude_ide#server#Serve(true)
  return true
enddef

# The `port` and `token` of the running server and its number of `clients`; empty if none is running.
export def Server(): dict<any>
  return claude_ide#server#Running()
enddef

defcompile
