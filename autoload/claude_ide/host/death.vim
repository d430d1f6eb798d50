vim9script
# The unexpected end of a host: its reason, and whether the host may be restarted.

import autoload '../messages/log.vim'

const MOST_RESTARTS = 3
const RESTART_WINDOW = 60.0 # seconds
# Exit codes of a host that has printed the reason (`host.py`).
const UNABLE = 3
const UNSERVED = 4

var restarts: list<list<number>> = [] # times of recent restarts

# Describe the end of a host with this exit code (-1 if a signal killed it) and these lines on
# stderr: `text` names the code, `reason` is one line, `lacks_python` says whether `:ClaudeInstall`
# would help, `is_explained` whether the host itself has printed the reason.
export def Of(code: number, stderr: list<string>): dict<any>
  const was_killed = code < 0
  const text = $'the Python host died ({was_killed ? "killed" : $"exit {code}"})'
  return {
    text: text,
    reason: get(stderr, -1, text),
    lacks_python: code == UNABLE,
    is_explained: code == UNABLE || code == UNSERVED,
    was_killed: was_killed,
  }
enddef

# Log a death. If the host died before it opened the log, this is the only trace.
export def Log(death: dict<any>, stderr: list<string>)
  log.Append([death.text] + stderr)
enddef

# Count a restart, and refuse it after three within a minute.
export def MayRestart(): bool
  const now = reltime()
  restarts->filter((_, at) => reltimefloat(reltime(at, now)) < RESTART_WINDOW)
  restarts->add(now)
  return len(restarts) <= MOST_RESTARTS
enddef

defcompile
