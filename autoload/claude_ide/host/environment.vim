vim9script
# Sets the environment variables through which child processes of Vim find the server.

const VARIABLES = ['CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY']

var before: dict<any> = {} # the previous values; null if unset

# Add 127.0.0.1 to a list of hosts that need no proxy.
def WithoutProxy(name: string): string
  const hosts = getenv(name)
  if type(hosts) != v:t_string || hosts ==# ''
    return '127.0.0.1'
  endif
  return split(hosts, ',')->index('127.0.0.1') >= 0 ? hosts : hosts .. ',127.0.0.1'
enddef

# Let processes that are started from now on find the server.
export def Announce(port: number)
  if empty(before)
    for name in VARIABLES
      before[name] = getenv(name)
    endfor
  endif
  setenv('CLAUDE_CODE_SSE_PORT', string(port))
  setenv('ENABLE_IDE_INTEGRATION', 'true')
  setenv('no_proxy', WithoutProxy('no_proxy'))
  setenv('NO_PROXY', WithoutProxy('NO_PROXY'))
enddef

# Restore the user's values.
export def Restore()
  for [name, value] in items(before)
    setenv(name, value)
  endfor
  before = {}
enddef

defcompile
