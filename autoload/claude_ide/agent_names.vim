vim9script
# The ids of the agents, without the host; and their completion after `@`.

import autoload './arguments.vim'
import autoload './host/python.vim'
import autoload './own_options.vim'

# The agents that are built in, and the user's (`agents/acp/kind.py`); Claude is the first.
def List(): list<string>
  const known: dict<any> = python.Json('agents/acp/known.json').agents
  const given = own_options.Get('agents')
  const own: dict<any> = type(given) == v:t_dict ? given : {}
  const added = copy(own)
    ->filter((id, entry) => has_key(known, id) || (type(entry) == v:t_dict && has_key(entry, 'cmd')))
  const offered = extendnew(known, added)
    ->filter((id, entry) => id !=# 'claude' && type(entry) == v:t_dict)
  const has_claude = type(get(own, 'claude', {})) == v:t_dict
  return (has_claude ? ['claude'] : []) + sort(keys(offered))
enddef

# Complete `@` and an agent as the first word of `:ClaudeAsk`, `:ClaudeEdit` or `:ClaudeCommit`.
export def Complete(lead: string, line: string, pos: number): list<string>
  if strpart(line, 0, pos) !~# 'Claude\(Ask\|Edit\|Commit\)\s\+@\?[A-Za-z0-9_-]*$'
    return []
  endif
  return arguments.Beginning(List(), lead, '@')
enddef

defcompile
