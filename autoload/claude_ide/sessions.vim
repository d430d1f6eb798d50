vim9script
# What `claude_ide#sessions()` returns: the host composes it, and sets it again when it has changed.

import autoload './channel.vim'
import autoload './messages/announce.vim'

var value = '[]' # as JSON
var is_wanted = false # whether somebody wants to know it
var is_asked = false # whether the host knows that, who then reads the stored sessions, too

def Ask()
  if is_wanted && !is_asked && channel.IsOpen()
    is_asked = true
    channel.Emit('sessions_asked', {})
  endif
enddef

# Called by the host: set the sessions, as JSON, and announce that they have changed.
export def Set(json: string): bool
  value = json
  Ask()
  announce.Event('ClaudeSessionsChanged', {sessions: json_decode(value)})
  return true
enddef

# All sessions. The first call has the host read the stored ones, too.
export def Value(): list<dict<any>>
  is_wanted = true
  Ask()
  return json_decode(value)
enddef

# The host has ended: nothing is known any more.
export def Clear()
  value = '[]'
  is_asked = false
enddef

defcompile
