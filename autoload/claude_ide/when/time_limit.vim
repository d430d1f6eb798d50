vim9script
# Limits how long an answer is awaited.

const OF_SERVER = 10000 # milliseconds

# The failure of what has not answered in time; `is_stopped` if it was stopped then.
export def Failure(milliseconds: number, is_stopped = false): string
  return $'did not answer within {milliseconds / 1000} s' .. (is_stopped ? ' and was stopped' : '')
enddef

# A function that calls `Done` with its arguments, a failure and a result, but only once. If it is not
# called in time, `Done` gets the string that `Expire` returns, the failure, and `otherwise`.
export def New(milliseconds: number, Done: func, Expire: func, otherwise: any = []): func
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

# The same for a language server that formats a file; `End` ends its work if it takes too long.
export def NewForServer(Done: func, End: func): func
  return New(OF_SERVER, Done, () => {
    call(End, [])
    return Failure(OF_SERVER)
  })
enddef

defcompile
