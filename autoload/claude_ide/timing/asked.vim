vim9script
# Runs a command of the user after the host has answered. The user may type on until then: nothing
# opens under a command line or a half-typed command.

import autoload './moment.vim'
import autoload '../messages/message.vim'

const POLL = 50 # milliseconds

def IsTyping(): bool
  return mode(1) =~# '^\%(no\|c\|r\|!\)' || getcmdtype() !=# ''
enddef

# Call `Fn` as soon as the command line, a prompt or an operator is finished, and after ending
# Insert and Visual mode. An error is shown.
export def Run(Fn: func)
  def Poll(_: number)
    if IsTyping()
      timer_start(POLL, Poll)
      return
    endif
    moment.WhenEnded(() => {
      if IsTyping()
        timer_start(POLL, Poll)
        return
      endif
      call(Fn, [])
      moment.Settle()
    }, (reason) => {
      message.Show(reason, 'error')
    })
  enddef
  Poll(0)
enddef

defcompile
