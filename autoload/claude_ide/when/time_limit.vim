vim9script
# Limits how long an answer is awaited.

# A function that calls `Done` with its arguments, a failure and a result, but only once. If it is not
# called in time, `Done` gets what `Expire` returns as the failure, and `otherwise`.
export def New(milliseconds: number, Done: func, Expire: func(): string, otherwise: any = []): func
  final state = {is_over: false, timer: 0}
  def Answer(failure: string, result: any)
    if !state.is_over
      state.is_over = true
      timer_stop(state.timer)
      call(Done, [failure, result])
    endif
  enddef
  state.timer = timer_start(milliseconds, (_) => Answer(Expire(), otherwise))
  return Answer
enddef

defcompile
