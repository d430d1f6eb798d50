vim9script
# The channel to the Python host: each message is one line of JSON (`editor/vim.py` lists them).
#
# Vim's own channel mode "json" loses messages: what is not whole 100 ms after its first part was
# parsed is thrown away. In mode "nl" a message is whole, or has not arrived yet.

import autoload './say/message.vim'
import autoload './say/reason.vim'

var host: channel
var is_open = false

# Send to this host from now on.
export def Open(opened: channel)
  host = opened
  is_open = true
enddef

# There is no host any more.
export def Close()
  is_open = false
enddef

# Whether a host is running.
export def IsOpen(): bool
  return is_open
enddef

# Send a message. Without a host it is dropped; a host that does not read never blocks Vim.
export def Send(sent: list<any>)
  if is_open && ch_status(host) ==# 'open'
    try
      ch_sendraw(host, json_encode(sent) .. "\n")
    catch /:E63[01]:/
      # The host has just ended; Vim calls `Close` soon.
    endtry
  endif
enddef

# Emit an event to the host.
export def Emit(event: string, payload: dict<any>)
  Send([0, 'event', event, payload])
enddef

# Handle a message of the host: call a function, and send its result or the reason why it failed.
export def Receive(_: channel, line: string)
  const decoded = reason.Attempt(function('json_decode'), [line])
  if !decoded[0] || type(decoded[1]) != v:t_list
    message.Show('the host has sent no message; see :ClaudeLog', 'error')
    return
  endif
  const [id, name, arguments] = decoded[1]
  const outcome = reason.AttemptByName(name, arguments)
  if id != 0
    Send([id] + outcome)
  elseif !outcome[0]
    message.Show(outcome[1], 'error')
  endif
enddef

defcompile
