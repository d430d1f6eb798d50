vim9script
# Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.

import autoload '../when/time_limit.vim'

const ANSWERS_WITHIN = 30000 # milliseconds

# The effective value of 'formatprg' or 'equalprg' for a buffer; empty if there is none.
export def Program(bufnr: number, name: string): string
  const own: string = getbufvar(bufnr, '&' .. name)
  return own !=# '' ? own : eval('&g:' .. name)
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

# Run a program on the text of a loaded buffer, without blocking Vim. `Done` gets the reason of a
# failure, or an empty string, and the new lines.
export def Format(bufnr: number, program: string, Done: func)
  const lines = getbufline(bufnr, 1, '$')
  final output: list<string> = []
  final errors: list<string> = []
  final state = {status: -1, is_closed: false}
  final jobs: list<job> = []
  const Answer = time_limit.New(ANSWERS_WITHIN, Done, () => {
    for each in jobs
      job_stop(each, 'kill')
    endfor
    return time_limit.Failure(ANSWERS_WITHIN, true)
  })
  # The job may end before its output is read, and the other way round.
  def Conclude()
    if state.is_closed && state.status >= 0
      Answer(Failure(state.status, output, errors, lines), output)
    endif
  enddef
  const job = job_start([&shell, &shellcmdflag, program], {
    in_mode: 'nl',
    out_mode: 'nl',
    err_mode: 'nl',
    noblock: 1,
    cwd: getcwd(max([bufwinid(bufnr), 0])),
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
    Answer('it could not be started', [])
    return
  endif
  jobs->add(job)
  ch_sendraw(job, join(lines, "\n") .. "\n")
  ch_close_in(job)
enddef

defcompile
