vim9script
# Runs the model's tools for the host. A tool is a function that gets its arguments and returns its
# answer; Vim has no tool that takes long.

import autoload './gate.vim'
import autoload '../channel.vim'
import autoload '../say/reason.vim'

const BEGINS_WITHIN = 4.0 # seconds; less than the host waits (`BEGIN_SECONDS` in `editor/tools.py`)

const began = reltime()

# The time at which the host gives a tool up that has not begun, by Vim's own clock, in seconds.
export def Deadline(): float
  return reltimefloat(reltime(began)) + BEGINS_WITHIN
enddef

def Answer(tool: string, arguments: dict<any>): dict<any>
  const refusal = gate.Refusal(arguments)
  if refusal !=# ''
    return {error: refusal}
  endif
  const outcome = reason.AttemptByName(tool, [arguments])
  return outcome[0] ? gate.Cleaned(tool, outcome[1]) : {error: gate.CleanedReason(outcome[1])}
enddef

# Run the tool `module.name`. Emits `answered` {token, json}. Returns whether it has begun: after
# the deadline the host has told the model that Vim was busy.
export def Begin(token: number, deadline: float, tool: string, arguments: dict<any>): bool
  if reltimefloat(reltime(began)) > deadline
    return false
  endif
  channel.Emit('answered', {token: token, json: json_encode(Answer(tool, arguments))})
  return true
enddef

# Cancel a tool: each has been answered by now.
export def Cancel(_: number): bool
  return true
enddef

defcompile
