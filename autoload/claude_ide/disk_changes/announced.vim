vim9script
# Files that an agent has announced it will write without a diff. The next write to such a file, if
# it follows soon, is attributed to the agent.

import autoload '../file/path.vim' as file

# Milliseconds between the announcement and the write; the agent does not ask the user in between.
const LASTS = 10000

final writes: dict<dict<any>> = {} # by real path: the `agent`, and the time `since` when

def IsFresh(note: dict<any>): bool
  return !empty(note) && reltimefloat(reltime(note.since)) * 1000 < LASTS
enddef

# Record that an agent is about to write a file.
export def Add(path: string, agent = 'Claude'): bool
  writes->filter((_, note) => IsFresh(note))
  writes[file.Resolved(path)] = {since: reltime(), agent: agent}
  return true
enddef

# Whether the next write to a file is an agent's.
export def Has(path: string): bool
  return IsFresh(get(writes, file.Resolved(path), {}))
enddef

# The name of the agent whose write to a file has just happened; empty for another program.
export def Take(path: string): string
  const real = file.Resolved(path)
  const note = has_key(writes, real) ? writes->remove(real) : {}
  return IsFresh(note) ? note.agent : ''
enddef

defcompile
