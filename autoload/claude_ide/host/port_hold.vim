vim9script
# Holds a copy of the host's listening socket in a small process, because Vim itself cannot. Without
# it, another process could listen on the port between two hosts, and a client would send it the
# token.

import autoload '../channel.vim'

const OPEN = 'open'
const LONGEST_END = 1.0 # seconds

# The process: its `job`, the `path` of its Unix socket, and the `port` that it holds, at first 0.
# Empty if there is none.
var holder: dict<any> = {}

def Received(from: dict<any>, line: string)
  if line ==# OPEN
    channel.Emit('port_hold_opened', {path: from.path})
  else
    from.port = str2nr(line)
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

# The held port; 0 if none is held.
export def Port(): number
  return get(holder, 'port', 0)
enddef

# The path of a Unix socket in a private folder, from which the next host fetches the socket; empty
# if no port is held.
export def Path(): string
  return Port() == 0 ? '' : holder.path
enddef

# Release the port.
export def Release()
  if !empty(holder)
    const running = holder.job
    holder = {}
    Kill(running)
  endif
enddef

# Hold the port on which the running host listens: ask it for a copy of its socket.
export def Hold(wanted: number)
  if Port() == wanted || has('win32')
    return
  endif
  Release()
  final started: dict<any> = {path: tempname(), port: 0}
  const command = [claude_ide#python#Find().path, '-I', '-S', claude_ide#python#Root() .. '/python/claude_ide/transport/port_hold.py']
  holder = started
  started.job = job_start(command + [started.path], {
    mode: 'nl',
    err_io: 'null',
    # It ends when its stdin is closed.
    stoponexit: '',
    out_cb: (_, line) => {
      if holder is started
        Received(started, line)
      endif
    },
    exit_cb: (_, _) => {
      if holder is started
        holder = {}
      endif
    },
  })
enddef

defcompile
