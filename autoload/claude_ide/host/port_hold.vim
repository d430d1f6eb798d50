vim9script
# Holds copies of the host's listening sockets, each in a small process, because Vim itself cannot.
# Without them, another process could listen on a port between two hosts, and a client would send it
# the token. The ports are called 'server' and 'hooks'.

import autoload './python.vim'
import autoload '../channel.vim'

const OPEN = 'open'
const LONGEST_END = 1.0 # seconds

# By name: its `job`, the `path` of its Unix socket, and the `port` that it holds, at first 0.
final holders: dict<dict<any>> = {}

def Received(name: string, holder: dict<any>, line: string)
  if line ==# OPEN
    channel.Emit('port_hold_opened', {name: name, path: holder.path})
  else
    holder.port = str2nr(line)
  endif
enddef

# The port is free afterwards: the user may start the next server immediately.
def Kill(running: job)
  job_stop(running, 'kill')
  const began = reltime()
  while job_status(running) ==# 'run' && reltimefloat(reltime(began)) < LONGEST_END
    sleep 1m
  endwhile
enddef

# A held port; 0 if it is not held.
export def Port(name: string): number
  return get(get(holders, name, {}), 'port', 0)
enddef

# The path of a Unix socket in a private folder, from which the next host fetches the socket; empty
# if the port is not held.
export def Path(name: string): string
  return Port(name) == 0 ? '' : holders[name].path
enddef

# Release a port.
export def Release(name: string)
  if has_key(holders, name)
    Kill(holders->remove(name).job)
  endif
enddef

# Hold a port on which the running host listens: ask it for a copy of its socket.
export def Hold(name: string, wanted: number)
  if Port(name) == wanted || has('win32')
    return
  endif
  Release(name)
  final holder = {path: tempname(), port: 0}
  const command = [python.Find().path, '-I', '-S', python.ROOT .. '/python/claude_ide/port_hold.py']
  holders[name] = holder
  holder.job = job_start(command + [holder.path], {
    mode: 'nl',
    err_io: 'null',
    # It ends when its stdin is closed.
    stoponexit: '',
    out_cb: (_, line) => {
      if get(holders, name, {}) is holder
        Received(name, holder, line)
      endif
    },
    exit_cb: (_, _) => {
      if get(holders, name, {}) is holder
        holders->remove(name)
      endif
    },
  })
enddef

defcompile
