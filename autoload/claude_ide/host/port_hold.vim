vim9script
# Holds a copy of the host's listening socket in a small process, because Vim itself cannot. Without
# it, another process could listen on the port between two hosts, and a client would send it the
# token.

import autoload './python.vim'
import autoload '../channel.vim'

const OPEN = 'open'
const LONGEST_END = 1.0 # seconds

var holder: job
var path = '' # of the Unix socket of the running holder
var port = 0

def Forget()
  path = ''
  port = 0
enddef

def Received(line: string)
  if line ==# OPEN
    channel.Emit('port_hold_opened', {path: path})
  else
    port = str2nr(line)
  endif
enddef

# The port is free afterwards: the user may start the next server immediately.
def Kill()
  job_stop(holder, 'kill')
  const began = reltime()
  while job_status(holder) ==# 'run' && reltimefloat(reltime(began)) < LONGEST_END
    sleep 1m
  endwhile
enddef

# The path of a Unix socket in a private folder, from which the next host fetches the socket; empty
# if no port is held.
export def Path(): string
  return port == 0 ? '' : path
enddef

# A held port; 0 if none is held.
export def Port(): number
  return port
enddef

# Release the port.
export def Release()
  if path !=# ''
    Forget()
    Kill()
  endif
enddef

# Hold the port on which the running host listens: ask it for a copy of its socket.
export def Hold(wanted: number)
  if port == wanted || has('win32')
    return
  endif
  Release()
  const opened = tempname()
  path = opened
  holder = job_start([python.Find().path, '-I', '-S', python.ROOT .. '/python/claude_ide/port_hold.py',
    opened], {
    mode: 'nl',
    err_io: 'null',
    # It ends when its stdin is closed.
    stoponexit: '',
    out_cb: (_, line) => {
      if path ==# opened
        Received(line)
      endif
    },
    exit_cb: (_, _) => {
      if path ==# opened
        Forget()
      endif
    },
  })
enddef

defcompile
