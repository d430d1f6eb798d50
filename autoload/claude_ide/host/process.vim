vim9script
# Starts and stops the process of the host, with the user's options, and removes the lock that it
# leaves. Handles the messages of the host.

import autoload './python.vim'
import autoload '../channel.vim' as host_channel
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../system/unread.vim'

# The options are in the environment because every user of the machine can read a command line.
const OPTIONS = 'CLAUDE_IDE_HOST'
const LARGEST_OPTIONS = 128 * 1024 - len(OPTIONS) - 2 # bytes; Linux limits a variable to 128 kB
const LONGEST_END = 3.0 # seconds
# The options that may be functions: these stay in Vim, which alone can call them.
const FUNCTIONS = ['diff.layout', 'terminal.side']
const LARGEST_LOCK = 1000000 # bytes

def WithoutFunctions(value: any, name: string, complaints: list<string>): any
  if type(value) == v:t_list
    return value->deepcopy()->filter((_, inner) => type(inner) != v:t_func)
  elseif type(value) != v:t_dict
    return value
  endif
  var copy: dict<any> = {}
  for key in keys(value)
    const inner_name = (name ==# '' ? '' : name .. '.') .. key
    if type(value[key]) != v:t_func
      copy[key] = WithoutFunctions(value[key], inner_name, complaints)
    elseif FUNCTIONS->index(inner_name) < 0
      complaints->add($'g:claude_ide.{inner_name} must not be a function')
    endif
  endfor
  return copy
enddef

# Copy the options for the host, without functions. Returns the copy, and one line for each function
# that is not the value of an option.
export def Sendable(options: any): list<any>
  var complaints: list<string> = []
  const copy = WithoutFunctions(options, '', complaints)
  return [copy, sort(complaints)]
enddef

def Encode(options: dict<any>): string
  var json: string
  try
    json = json_encode(options)
  catch
    throw $'claude-ide: g:claude_ide cannot be passed on: {v:exception}'
  endtry
  if len(json) > LARGEST_OPTIONS
    throw $'claude-ide: g:claude_ide is too large: {len(json) / 1024 + 1} kB (at most 127 kB)'
  endif
  return json
enddef

# A message is a call of a function by its name (`channel.vim`); send its result, or the reason why it
# failed.
export def Receive(_: channel, line: string)
  const decoded = reason.Attempt(function('json_decode'), [line])
  if !decoded[0] || type(decoded[1]) != v:t_list
    message.Show('the host has sent no message; see :ClaudeLog', 'error')
    return
  endif
  const [id, name, arguments] = decoded[1]
  const outcome = reason.AttemptByName(name, arguments)
  if id != 0
    host_channel.Send([id] + outcome)
  elseif !outcome[0]
    message.Show(outcome[1], 'error')
  endif
enddef

# Start a host with the fields of `startup.Options`, except `entry` and `pid`. When it ends,
# `OnExit` gets its exit code and the lines of stderr. Returns the job; throws one line.
export def Start(options: dict<any>, OnExit: func(number, list<string>)): job
  const found = python.Find()
  if found.path ==# ''
    throw 'claude-ide: ' .. python.Refusal(found.problem)
  endif
  final sent = extendnew({entry: '', pid: getpid()}, options)
  var stderr: list<string> = []
  const started = job_start([found.path, '-I', python.ROOT .. '/python/claude_ide/host.py', '--vim'], {
    env: {[OPTIONS]: Encode(sent)},
    mode: 'nl',
    # Without this a host that does not read would hang Vim.
    noblock: 1,
    # The host ends when its stdin is closed. A SIGTERM would race with that.
    stoponexit: '',
    out_cb: Receive,
    err_cb: (_, line) => {
      stderr->add(line)
    },
    exit_cb: (ended, code) => {
      OnExit(code, (stderr + unread.Lines(job_getchannel(ended), 'err'))->filter((_, line) => line !=# ''))
    },
  })
  if job_status(started) ==# 'fail'
    throw $'claude-ide: cannot run {found.path}'
  endif
  return started
enddef

# The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
export def ConfigFolder(): string
  const config = empty($CLAUDE_CONFIG_DIR) ? expand('~/.claude', true) : $CLAUDE_CONFIG_DIR
  return fnamemodify(config, ':p')->substitute('/$', '', '')
enddef

# The fields of a lock file, unchecked; empty if it is none. Opening a pipe would block Vim.
def LockOf(path: string): dict<any>
  if getftype(path) !=# 'file' || getfsize(path) > LARGEST_LOCK
    return {}
  endif
  const decoded = reason.Attempt(() => json_decode(readfile(path)->join("\n")))
  return decoded[0] && type(decoded[1]) == v:t_dict ? decoded[1] : {}
enddef

# Remove the lock of a host that has died (`lock_file.py`), which contains a token, and a port that is
# free now, and its unfinished files.
export def Withdraw(ended: job)
  const [folder, pid] = [ConfigFolder() .. '/ide', job_info(ended).process]
  for path in globpath(folder, '*.lock', true, true)
    const lock = LockOf(path)
    if get(lock, 'pid') == getpid() && get(lock, 'hostPid') == pid
      delete(path)
    endif
  endfor
  for path in globpath(folder, $'.*.lock.{pid}.new', true, true)
    delete(path)
  endfor
enddef

# Handle messages until the host has ended. Returns whether it has, within three seconds.
def HasEnded(): bool
  const began = reltime()
  while host_channel.IsOpen() && reltimefloat(reltime(began)) < LONGEST_END
    sleep 10m
  endwhile
  return !host_channel.IsOpen()
enddef

# Stop a host, not only its server. Waits up to three seconds, then kills it.
#
# It would not notice that its stdin is closed: jobs that were started later have inherited the pipe.
export def Stop(running: job)
  job_stop(running)
  if !HasEnded()
    job_stop(running, 'kill')
    HasEnded()
  endif
enddef

defcompile
