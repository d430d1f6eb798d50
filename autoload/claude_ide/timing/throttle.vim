vim9script
# Limits how often a function runs, without losing the last call.

import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

# Return a function that makes `Fn` run soon after its first call, then at most once per interval
# (in milliseconds), and once more after its last call. `Fn` never runs synchronously: some
# autocommands run before the change that they announce.
export def New(interval: number, Fn: func): func
  final state = {is_resting: false, is_missed: false}

  def Run(_: number)
    state.is_resting = state.is_missed
    if !state.is_missed
      return
    endif
    state.is_missed = false
    timer_start(interval, Run)
    # An error in a timer would be shown at a prompt.
    const failure = reason.Try(Fn)
    if failure !=# ''
      message.Show(failure, 'error')
    endif
  enddef

  return () => {
    state.is_missed = true
    if !state.is_resting
      state.is_resting = true
      timer_start(0, Run)
    endif
  }
enddef

defcompile
