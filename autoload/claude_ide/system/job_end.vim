vim9script
# When a job is done. Vim may notice that it has exited before its output is read, and the other way round.

# Return the callbacks `close_cb` and `exit_cb` for a job. `Done` gets the job and its exit code after the
# last line of its output.
export def Callbacks(Done: func(job, number)): dict<func>
  final state = {is_closed: false, exit: []}
  def Conclude()
    if state.is_closed && !empty(state.exit)
      call(Done, state.exit)
    endif
  enddef
  return {
    close_cb: (_) => {
      state.is_closed = true
      Conclude()
    },
    exit_cb: (ended, code) => {
      state.exit = [ended, code]
      Conclude()
    },
  }
enddef

defcompile
