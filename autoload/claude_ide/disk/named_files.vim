vim9script
# Files that an agent has announced it will write without a diff. The next write to such a file, if
# it follows soon, is attributed to the agent.

import autoload './recent_paths.vim'

# The agent that needs no name in an announcement.
export const CLAUDE = 'Claude'

# Milliseconds between the announcement and the write; the agent does not ask the user in between.
const LASTS = 10000

final named: dict<dict<any>> = {} # names of agents

# Record that an agent is about to write a file.
export def Add(path: string, agent = CLAUDE): bool
  recent_paths.Add(named, path, agent, LASTS)
  return true
enddef

# The name of the agent whose write to a file is next; empty if none is expected.
export def Agent(path: string): string
  return recent_paths.Get(named, path, LASTS)
enddef

# Whether the next write to a file is an agent's.
export def Has(path: string): bool
  return Agent(path) !=# ''
enddef

# Forget an announcement: its write has happened.
export def Forget(path: string)
  recent_paths.Forget(named, path)
enddef

defcompile
