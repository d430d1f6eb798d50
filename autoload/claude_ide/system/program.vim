vim9script
# Finds programs on PATH, but never in the current folder.



# A folder in which only an administrator can put settings, as in all folders above it.
export const NEUTRAL = '/'

const LONGEST = 8.0 # seconds
const PERIOD = 20 # milliseconds
const MOST_EMPTY = 100 # empty lines in a row; Vim does not tell them from the end

# Find a program by its name. Relative and empty entries of PATH are skipped: they would let a project
# choose the program. A name with a slash is a path. Returns an absolute path; empty if there is none.
export def Find(name: string): string
  if name =~# '/'
    const path = fnamemodify(name, ':p')
    return executable(path) > 0 ? path : ''
  endif
  const folders = split($PATH, ':')->filter((_, folder) => folder[0] ==# '/')
  const found = folders->indexof((_, folder) => executable($'{folder}/{name}') > 0)
  return name ==# '' || found < 0 ? '' : $'{folders[found]}/{name}'
enddef

# What a program prints until it closes its output, or until the time is over.
def Output(job: job, began: list<any>, limit: float): string
  var output = ''
  try
    while ch_status(job, {part: 'out'}) =~# 'open\|buffered' && reltimefloat(reltime(began)) < limit
      output ..= ch_readraw(job, {timeout: PERIOD})
    endwhile
  catch /E906:/
    # The program has ended since the channel was asked.
  endtry
  return output
enddef

# Run a command outside the current folder, where version managers and settings of a project would
# apply, and wait for it, for at most so many seconds. Returns its exit `code`, -1 if it has not ended by
# itself, and the `output`. This works in a callback, too, where those of a job would not be called.
export def Run(command: list<string>, limit = LONGEST): dict<any>
  if command[0] ==# ''
    return {code: -1, output: ''}
  endif
  const job = job_start(command, {cwd: NEUTRAL, in_io: 'null', out_mode: 'raw', err_io: 'out'})
  const began = reltime()
  const output = Output(job, began, limit)
  while job_status(job) ==# 'run' && reltimefloat(reltime(began)) < limit
    sleep 1m
  endwhile
  if job_status(job) ==# 'run'
    job_stop(job, 'kill')
    return {code: -1, output: output}
  endif
  return {code: job_info(job).exitval, output: output}
enddef

# Whether a process exists, also one of another user, which may not be signalled.
export def IsAlive(pid: number): bool
  return isdirectory('/proc/self') ? isdirectory($'/proc/{pid}')
    : Run([Find('ps'), '-p', string(pid)]).code == 0
enddef

# What a job has printed and Vim has not read yet: Vim may notice the exit of a job before its last lines. Return
# these lines of a channel's `part`, which is "out" or "err", without empty ones.
export def Unread(handle: channel, part: string): list<string>
  var lines: list<string> = []
  var empties = 0
  while empties < MOST_EMPTY && index(['open', 'buffered'], ch_status(handle, {part: part})) >= 0
    const line = ch_read(handle, {part: part, timeout: 0})
    if line ==# ''
      ++empties
    else
      empties = 0
      lines->add(line)
    endif
  endwhile
  return lines
enddef

defcompile
