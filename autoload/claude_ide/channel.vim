vim9script
# The channel to the Python host: each message is one line of JSON (`editor/vim.py` lists them).
#
# Vim's own channel mode "json" loses messages: what is not whole 100 ms after its first part was
# parsed is thrown away. In mode "nl" a message is whole, or has not arrived yet.

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

defcompile
