vim9script
# Runs the model's tools for the host. A tool is a function that gets its arguments and returns its
# answer. One that takes long returns a function: that gets what takes the answer, and returns what
# cancels the work.

import autoload '../channel.vim'
import autoload '../messages/reason.vim'

# By token: what cancels a running tool.
final running: dict<func> = {}

def Finish(token: number, answer: dict<any>)
  if has_key(running, token)
    running->remove(string(token))
    channel.Emit('answered', {token: token, json: json_encode(answer)})
  endif
enddef

# `outcome` is the tool's own, as `Attempt` returns it.
def Continue(token: number, outcome: list<any>)
  const Answer = (answer) => Finish(token, answer)
  if !outcome[0]
    Answer({error: outcome[1]})
  elseif type(outcome[1]) == v:t_dict
    Answer(outcome[1])
  else
    const started = reason.Attempt(outcome[1], [Answer])
    if !started[0]
      Answer({error: started[1]})
    elseif has_key(running, token)
      running[token] = started[1]
    endif
  endif
enddef

# Run the tool `module.name`. Emits `answered` {token, json}. Returns whether it has begun: after
# the deadline, in seconds by the clock of the system, the host has told the model that Vim was busy.
export def Begin(token: number, deadline: float, tool: string, arguments: dict<any>): bool
  if localtime() > deadline
    return false
  endif
  running[token] = () => true
  Continue(token, reason.AttemptByName(tool, [arguments]))
  return true
enddef

# Cancel a tool, without an answer.
export def Cancel(token: number): bool
  if has_key(running, token)
    call(running->remove(string(token)), [])
  endif
  return true
enddef

defcompile
