vim9script
# Checks Claude's CLI for `:ClaudeCheck`: whether it is there, its version, and whether it is logged in.

import autoload '../own_options.vim'
import autoload '../messages/reason.vim'
import autoload '../system/program.vim'

# The versions of the CLI with which the tests run (Makefile).
const OLDEST = '2.1.197'
const NEWEST = '2.1.330'
const HOW_TO_INSTALL =
  'curl -fsSL https://claude.ai/install.sh | bash, or: npm install -g @anthropic-ai/claude-code'

# Whether a version, such as "2.1.197", is older than another one.
def IsOlder(one: string, other: string): bool
  const left = split(one, '\.')->map((_, part) => str2nr(part))
  const right = split(other, '\.')->map((_, part) => str2nr(part))
  const index = range(3)->indexof((_, part) => left[part] != right[part])
  return index >= 0 && left[index] < right[index]
enddef

# What a version of the CLI is worth.
def OfVersion(version: string, path: string): list<string>
  const words = $'Claude Code {version}: {path}'
  if IsOlder(version, OLDEST)
    return ['WARNING', $'{words} (tested: {OLDEST} to {NEWEST})', 'claude update']
  endif
  return ['OK', words .. (IsOlder(NEWEST, version) ? $' (newer than the tested {NEWEST})' : '')]
enddef

# Only the CLI reads its credentials. An older one without this command is not reported.
def OfLogin(path: string): list<list<string>>
  const said = program.Run([path, 'auth', 'status', '--json']).output
  const decoded = reason.Attempt(function('json_decode'), [said])
  const status = decoded[0] && type(decoded[1]) == v:t_dict ? decoded[1] : {}
  const is_logged_in = get(status, 'loggedIn', v:null)
  if type(is_logged_in) != v:t_bool
    return []
  endif
  return is_logged_in ? [['OK', 'The CLI is logged in']]
    : [['WARNING', 'The CLI is not logged in', 'Run :Claude, then /login']]
enddef

def OfCli(path: string): list<list<string>>
  const said = program.Run([path, '--version']).output
  const version = matchstr(said, '\d\+\.\d\+\.\d\+\ze (Claude Code)')
  if version ==# ''
    return [['OK', $'{path} (it is not known as a version of Claude Code)']]
  endif
  return [OfVersion(version, path)] + OfLogin(path)
enddef

# What is found about the program of the option `cmd`: each a level, a text, and perhaps an advice.
export def Findings(): list<list<string>>
  const option = own_options.Get('cmd')
  const name = type(option) == v:t_list ? get(option, 0, '')
    : type(option) == v:t_string && !empty(option) ? option : 'claude'
  if type(name) != v:t_string
    return []
  endif
  const path = program.FindCli(name)
  if path !=# ''
    return OfCli(path)
  endif
  const problem = name =~# '/' ? 'no program' : 'not on PATH'
  const advice = name ==# 'claude' ? HOW_TO_INSTALL : 'Correct g:claude_ide.cmd'
  return [['WARNING', $'{name} is {problem}', advice]]
enddef

defcompile
