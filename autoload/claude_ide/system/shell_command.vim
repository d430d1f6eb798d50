vim9script
# Runs a formatter in a shell, and expands the names of files in its command, as in 'makeprg'. It has no
# terminal, from which it could read the user's keys.

import autoload './input.vim'

const DIES_WITHIN = 1000 # milliseconds
# A name of which no shell interprets anything, whatever is around it.
const HARMLESS = '^\%([[:alnum:].,_/~+@ ]\|[^\x01-\x7f]\)\%([[:alnum:].,_/~+@ -]\|[^\x01-\x7f]\)*$'
const FILE_NAME = '\\\?\%(%\|#\d*\)\%(:[phtre~.8S]\)*'

# Runs the command in "$@", and ends as it has ended. Vim gets no more than the first bytes and lines of its
# output and its errors: it would do nothing else for as long as a program writes without a pause. The rest
# is read and dropped; the line in which it begins is ended. SIGTERM does not end `first`, so that what the
# command wrote before it is not lost.
const LIMITED =<< trim END
  first() { # BYTES LINES
    trap '' TERM
    head -c "$1" | head -n "$2"
    [ "$(head -c 1 | wc -c)" -eq 0 ] || echo
    exec cat >/dev/null
  }
  bytes=$1 lines=$2
  shift 2
  exec 5>&1 6>&2
  code=$({
    {
      { "$@" 3>&- 4>&- 5>&- 6>&-; echo $? >&3; } 2>&1 >&4 | first 100000 1000 >&6 3>&- 4>&-
    } 4>&1 | first "$bytes" "$lines" >&5 3>&-
  } 3>&1)
  ulimit -c 0
  [ "$code" -le 128 ] || kill -s "$((code - 128))" $$ 2>/dev/null
  exit "$code"
END

var expanded = '' # what `ExpandHere` has made

# In which quotes the shell is after a text; empty outside them.
def QuotesAfter(text: string, before: string): string
  var quotes = before
  var is_escaped = false
  for character in text
    if is_escaped
      is_escaped = false
    elseif character ==# '\' && quotes !=# "'"
      is_escaped = true
    elseif character ==# quotes
      quotes = ''
    elseif quotes ==# '' && character =~# '["''`]'
      quotes = character
    endif
  endfor
  return quotes
enddef

# A file's name for the shell. Quotes cannot be in quotes, and another shell may read what is in them.
def Quoted(name: string, quotes: string): string
  if quotes ==# ''
    return shellescape(name)
  elseif name !~# HARMLESS
    throw $'claude-ide: the shell would interpret the name {strtrans(name)} within quotes ({quotes}); '
      .. 'write % without them'
  endif
  return name
enddef

# What stands for a match of FILE_NAME.
def Expanded(match: string, quotes: string): string
  if match[0] ==# '\'
    return strpart(match, 1)
  endif
  const name = expand(substitute(match, ':S', '', 'g'))
  return name ==# '' ? match : Quoted(name, quotes)
enddef

# Called by `Expand`.
export def ExpandHere(command: string)
  expanded = ''
  var rest = command
  var quotes = ''
  while true
    const [match, first, last] = matchstrpos(rest, FILE_NAME)
    if first < 0
      expanded ..= rest
      return
    endif
    const before = strpart(rest, 0, first)
    quotes = QuotesAfter(before, quotes)
    expanded ..= before .. Expanded(match, quotes)
    rest = strpart(rest, last)
  endwhile
enddef

# Expand `%` to a buffer's file name, and `#` to that of the alternate file, with their modifiers, as
# `gq` and `:make` do, but quoted for the shell. What names no file stays. `Inside` runs an Ex command
# where the buffer is current. Throws an error if the command quotes a name that its shell would
# interpret nevertheless.
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

# Start a command in a folder, with `stdin` as its input: lines, which may be none. `OnOutput` gets
# the lines of its output that are among the first `most.bytes` and `most.lines`, and `OnError` the first
# lines of its errors. `Done` gets the exit code, and the name of the signal that has ended the command,
# which may be empty. Throws an error if there is no such shell.
export def Start(command: string, folder: string, stdin: list<string>, most: dict<number>,
    OnOutput: func, OnError: func, Done: func): job
  if !executable(&shell)
    throw $'claude-ide: it could not be started: {&shell} is no program'
  endif
  final state = {is_closed: false, exit: {}}
  # The shell may end before its output is read, and the other way round.
  def Conclude()
    if state.is_closed && !empty(state.exit)
      call(Done, [state.exit.code, state.exit.signal])
    endif
  enddef
  const words = [&shell] + split(&shellcmdflag) + [command]
  const limited = ['/bin/sh', '-c', join(LIMITED, "\n"), 'sh', string(most.bytes), string(most.lines)]
  return input.Start(limited + words, stdin + [''], {
    out_mode: 'nl',
    err_mode: 'nl',
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
enddef

defcompile
