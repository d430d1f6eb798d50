vim9script
# Starts and stops the process of the host, and removes the lock that it leaves.

import autoload './lock.vim'
import autoload './messages.vim'
import autoload './python.vim'
import autoload '../channel.vim'
import autoload '../system/unread.vim'

# The options are in the environment because every user of the machine can read a command line.
const OPTIONS = 'CLAUDE_IDE_HOST'
const LARGEST_OPTIONS = 128 * 1024 - len(OPTIONS) - 2 # bytes; Linux limits a variable to 128 kB
const LONGEST_END = 3.0 # seconds

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
    out_cb: messages.Receive,
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

# Remove the lock of a host that has died: it contains a token, and a port that is free now.
export def Withdraw(ended: job)
  lock.Withdraw(lock.Folder(), job_info(ended).process)
enddef

# Handle messages until the host has ended. Returns whether it has, within three seconds.
def HasEnded(): bool
  const began = reltime()
  while channel.IsOpen() && reltimefloat(reltime(began)) < LONGEST_END
    sleep 10m
  endwhile
  return !channel.IsOpen()
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
