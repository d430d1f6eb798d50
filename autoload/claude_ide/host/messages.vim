vim9script
# Handles the messages of the host: each is a call of a function by its name (`channel.vim`).

import autoload '../channel.vim' as host_channel
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

# Call the function, and send its result or the reason why it failed.
export def Receive(_: channel, line: string)
  const decoded = reason.Attempt(function('json_decode'), [line])
  if !decoded[0] || type(decoded[1]) != v:t_list
    message.Show('the host has sent no message; see :ClaudeLog', 'error')
    return
  endif
  const [id, name, arguments] = decoded[1]
  const outcome = reason.AttemptByName(name, arguments)
  if id != 0
    host_channel.Send([id] + outcome)
  elseif !outcome[0]
    message.Show(outcome[1], 'error')
  endif
enddef

defcompile
