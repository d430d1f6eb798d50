vim9script
# Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.

const ANSWERS_WITHIN = 30000 # milliseconds

# The program that formats a buffer; empty if there is none.
export def Find(bufnr: number): string
  for [name, global] in [['formatprg', &g:formatprg], ['equalprg', &g:equalprg]]
    const own: string = getbufvar(bufnr, '&' .. name)
    if own !=# '' || global !=# ''
      return own !=# '' ? own : global
    endif
  endfor
  return ''
enddef

# The reason why a program's output is no formatted text, or an empty string.
def Failure(status: number, output: list<string>, errors: list<string>, lines: list<string>): string
  if status != 0
    const said = errors->copy()->filter((_, line) => line =~# '\S')->get(0, '')
    return $'exit code {status}' .. (said !=# '' ? $': {said}' : '')
  elseif empty(output) && join(lines) =~# '\S'
    # The program has probably written elsewhere. The user would hardly want an empty file.
    return 'no output'
  endif
  return ''
enddef

# Run a program on a text, without blocking Vim. `Done` gets the reason of a failure, or an empty
# string, and the new lines.
export def Format(program: string, lines: list<string>, folder: string, Done: func)
  final output: list<string> = []
  final errors: list<string> = []
  final state = {status: -1, is_closed: false, is_over: false, timer: 0}
  def Finish(failure: string)
    if !state.is_over
      state.is_over = true
      timer_stop(state.timer)
      call(Done, [failure, output])
    endif
  enddef
  # The job may end before its output is read, and the other way round.
  def Conclude()
    if state.is_closed && state.status >= 0
      Finish(Failure(state.status, output, errors, lines))
    endif
  enddef
  const job = job_start([&shell, &shellcmdflag, program], {
    in_mode: 'nl',
    out_mode: 'nl',
    err_mode: 'nl',
    noblock: 1,
    cwd: folder,
    out_cb: (_, line) => {
      output->add(line)
    },
    err_cb: (_, line) => {
      errors->add(line)
    },
    close_cb: (_) => {
      state.is_closed = true
      Conclude()
    },
    exit_cb: (_, status) => {
      state.status = status
      Conclude()
    },
  })
  if job_status(job) ==# 'fail'
    Finish('it could not be started')
    return
  endif
  state.timer = timer_start(ANSWERS_WITHIN, (_) => {
    job_stop(job, 'kill')
    Finish($'did not answer within {ANSWERS_WITHIN / 1000} s and was stopped')
  })
  ch_sendraw(job, join(lines, "\n") .. "\n")
  ch_close_in(job)
enddef

defcompile
