vim9script
# Limits how often a function runs, without losing the last call: soon after the first one, then at most
# once per period, and once more after the last one. A key that is held down has a period of its own.

import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

# Create one with so many milliseconds between two runs, or as many as `held` says while each call
# follows within a period of the one before. A run of `Fn` that returns false does not count. The result
# has four functions:
# - `Soon`: run as soon as it may, but not within the call: some autocommands run before the change that
#   they announce
# - `Overdue`: the same, but at once if it is overdue; for events of every key
# - `Rest`: the caller has just done what it does; wait a whole period
# - `Stop`
export def New(period: number, Fn: func, held = period): dict<func>
  final state: dict<any> = {is_due: false, is_stopped: false, run: [], call: []}

  def Rest()
    state.run = reltime()
  enddef

  # Milliseconds until the next run.
  def Early(): number
    if empty(state.run)
      return 0
    endif
    const since_run = float2nr(reltimefloat(reltime(state.run)) * 1000)
    const since_call = float2nr(reltimefloat(reltime(state.call)) * 1000)
    return max([min([period - since_call, held - since_run]), period - since_run])
  enddef

  def Run(): bool
    # An error in a timer would be shown at a prompt.
    const outcome = reason.Attempt(Fn)
    if !outcome[0]
      message.Show(outcome[1], 'error')
    endif
    return type(outcome[1]) != v:t_bool || outcome[1]
  enddef

  def Try(_: number)
    if state.is_stopped
      return
    elseif Early() > 0
      timer_start(Early(), Try)
      return
    endif
    state.is_due = false
    if Run()
      Rest()
    endif
  enddef

  def Soon()
    state.call = reltime()
    if !state.is_due
      state.is_due = true
      timer_start(0, Try)
    endif
  enddef

  # Vim runs no timers while typed keys are waiting, for example when a key is held down and each
  # repetition takes long. What is scheduled remains, or every call would schedule another.
  def Overdue()
    const was_due = state.is_due
    Soon()
    if was_due && Early() <= 0 && !state.is_stopped
      Run()
      Rest()
    endif
  enddef

  def Stop()
    state.is_stopped = true
  enddef

  return {Soon: Soon, Overdue: Overdue, Rest: Rest, Stop: Stop}
enddef

defcompile
