vim9script
# Runs one of the user's commands in a shell: a formatter, or 'makeprg'. It has no terminal, from which
# it could read the user's keys.

const DIES_WITHIN = 1000 # milliseconds
const FILE_NAME = '\\\?\%(%\|#\d*\)\%(:[phtre~.8S]\)*'

var expanded = '' # what `ExpandHere` has made

def Quoted(match: string): string
  if match[0] ==# '\'
    return strpart(match, 1)
  endif
  const name = expand(substitute(match, ':S', '', 'g'))
  return name ==# '' ? match : shellescape(name)
enddef

# Called by `Expand`.
export def ExpandHere(command: string)
  expanded = substitute(command, FILE_NAME, (found) => Quoted(found[0]), 'g')
enddef

# Expand `%` to a buffer's file name, and `#` to that of the alternate file, with their modifiers, as
# `gq` and `:make` do, but quoted for the shell. What names no file stays. `Inside` runs an Ex command
# where the buffer is current.
export def Expand(command: string, Inside: func(string)): string
  Inside($'call claude_ide#system#shell_command#ExpandHere({string(command)})')
  return expanded
enddef

# `job_stop()` signals the group that the shell leads, but only while the shell runs: the programs that
# it has started may outlive it.
def Signal(job: job, name: string)
  if job_status(job) ==# 'run'
    job_stop(job, name)
  else
    const group = job_info(job).process
    job_start(['/bin/sh', '-c', $'kill -s {toupper(name)} -- -{group}'], {err_io: 'null'})
  endif
enddef

# End a command and the programs that it has started at once.
export def Kill(job: job)
  Signal(job, 'kill')
enddef

# End them.
export def Stop(job: job)
  Signal(job, 'term')
  timer_start(DIES_WITHIN, (_) => Kill(job))
enddef

# Start a command in a folder, with `stdin` as its input: lines, which may be none. `OnOutput` and
# `OnError` get each line. `Done` gets its exit code, and the name of the signal that has ended it, which
# may be empty. Throws an error if there is no such shell.
export def Start(command: string, folder: string, stdin: list<string>, OnOutput: func, OnError: func,
    Done: func): job
  final state = {is_closed: false, exit: {}}
  # The shell may end before its output is read, and the other way round.
  def Conclude()
    if state.is_closed && !empty(state.exit)
      call(Done, [state.exit.code, state.exit.signal])
    endif
  enddef
  const job = job_start([&shell] + split(&shellcmdflag) + [command], {
    in_mode: 'nl',
    out_mode: 'nl',
    err_mode: 'nl',
    # In one pipe both are in the order in which they are written.
    err_io: OnError is OnOutput ? 'out' : 'pipe',
    noblock: 1,
    stoponexit: 'kill',
    cwd: folder,
    out_cb: (_, line) => {
      OnOutput(line)
    },
    err_cb: (_, line) => {
      OnError(line)
    },
    close_cb: (_) => {
      state.is_closed = true
      Conclude()
    },
    exit_cb: (ended, code) => {
      state.exit = {code: code, signal: job_info(ended)->get('termsig', '')}
      Conclude()
    },
  })
  if job_status(job) ==# 'fail' || !executable(&shell)
    throw $'claude-ide: it could not be started: {&shell} is no program'
  endif
  if !empty(stdin)
    ch_sendraw(job, join(stdin, "\n") .. "\n")
  endif
  ch_close_in(job)
  return job
enddef

defcompile
