vim9script
# Polls something that may change with every key: right after the first change, then at a fixed
# interval while it keeps changing, and always once after the last change. It does not poll while
# nothing changes. A key that is held down has an interval of its own, which ends with the key.

# Create a pulse with so many milliseconds between two looks, or as many as `held` says while each event
# follows within a period of the one before. `Look` returns whether anything has changed. The result
# has four functions:
# - `Soon`: something may have changed; look once the current event is over
# - `Overdue`: the same, but look immediately if a look is overdue; for events of every key
# - `Rest`: the caller has just looked; wait a whole period
# - `Stop`
export def New(period: number, Look: func(): bool, held = period): dict<func>
  final state: dict<any> = {is_beating: false, is_stopped: false, rested: [], event: []}

  def Rest()
    state.rested = reltime()
  enddef

  # Milliseconds until the next look.
  def Wait(): number
    if empty(state.rested)
      return 0
    endif
    const since_look = float2nr(reltimefloat(reltime(state.rested)) * 1000)
    const since_event = float2nr(reltimefloat(reltime(state.event)) * 1000)
    const due = min([period - since_event, held - since_look])
    return max([due, period - since_look])
  enddef

  def Beat(_: number)
    if state.is_stopped
      return
    elseif Wait() > 0
      timer_start(Wait(), Beat)
      return
    endif
    state.is_beating = Look()
    if state.is_beating
      Rest()
      timer_start(period, Beat)
    endif
  enddef

  def Soon()
    state.event = reltime()
    if !state.is_beating
      state.is_beating = true
      timer_start(0, Beat)
    endif
  enddef

  # Vim runs no timers while typed keys are waiting, for example when a key is held down and each
  # repetition takes long. This leaves `is_beating` on: the beat that is already scheduled clears
  # it. Otherwise every event without a change would schedule another beat.
  def Overdue()
    const was_beating = state.is_beating
    Soon()
    if was_beating && Wait() <= 0 && !state.is_stopped
      Look()
      Rest()
    endif
  enddef

  def Stop()
    state.is_stopped = true
  enddef

  return {Soon: Soon, Overdue: Overdue, Rest: Rest, Stop: Stop}
enddef

defcompile
