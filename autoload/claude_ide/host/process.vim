vim9script
# Starts and stops the process of the host, with the user's options. Handles its messages.

import autoload '../channel.vim' as host_channel
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../system/program.vim'

# The options are in the environment because every user of the machine can read a command line.
const OPTIONS = 'CLAUDE_IDE_HOST'
const LARGEST_OPTIONS = 128 * 1024 - len(OPTIONS) - 2 # bytes; Linux limits a variable to 128 kB
const LONGEST_END = 3.0 # seconds
# The options that may be functions: these stay in Vim, which alone can call them.
const FUNCTIONS = ['diff.layout', 'terminal.side']

const A_FUNCTION = {function: true} # `config.py` says that no option takes it

# Copy the options for the host, without functions. `name` is that of the option.
export def Sendable(value: any, name = ''): any
  if type(value) == v:t_list
    return value->mapnew((_, inner) => Sendable(inner))
  elseif type(value) == v:t_func
    return A_FUNCTION
  elseif type(value) != v:t_dict
    return value
  endif
  const prefix = name ==# '' ? '' : name .. '.'
  return value->copy()
    ->filter((key, inner) => type(inner) != v:t_func || FUNCTIONS->index(prefix .. key) < 0)
    ->map((key, inner) => Sendable(inner, prefix .. key))
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
  const found = claude_ide#python#Find()
  if found.path ==# ''
    throw 'claude-ide: ' .. claude_ide#python#Refusal(found.problem)[0]
  endif
  final sent = extendnew({entry: '', pid: getpid()}, options)
  var stderr: list<string> = []
  const started = job_start([found.path, '-I', claude_ide#python#Root() .. '/python/claude_ide/host.py', '--vim'], {
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
      OnExit(code, (stderr + program.Unread(job_getchannel(ended), 'err'))->filter((_, line) => line !=# ''))
    },
  })
  if job_status(started) ==# 'fail'
    throw $'claude-ide: cannot run {found.path}'
  endif
  return started
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
