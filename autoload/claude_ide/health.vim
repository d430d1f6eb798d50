vim9script
scriptencoding utf-8
# `:ClaudeCheck`: checks each step from the command to a host, which then checks the rest, and shows the
# report in a window. Neovim has `:checkhealth claude_ide`.

import autoload './channel.vim'
import autoload './host.vim'
import autoload './host/install.vim'
import autoload './host/python.vim'
import autoload './messages/plain.vim'

const TIMEOUT_SECONDS = 8.0
const NAME = 'claude-ide://check'
const LEVELS = {ok: 'OK', info: 'INFO', warn: 'WARNING', error: 'ERROR'}

var findings: list<dict<any>> = [] # of the host: each with `level`, `line` and perhaps `advice`
var lines: list<string> = []

def Add(level: string, text: string, advice = '')
  lines->add($'- {level} {plain.OneLine(text)}')
  if advice !=# ''
    lines->extend(['  - ADVICE:', $'    - {plain.OneLine(advice)}'])
  endif
enddef

# Called by the host with the findings of its check (`check.py`).
export def Receive(found: list<dict<any>>): bool
  findings = found
  return true
enddef

# Messages of the host are handled during `sleep`.
def WaitFor(Condition: func(): bool): bool
  const began = reltime()
  while !Condition() && reltimefloat(reltime(began)) < TIMEOUT_SECONDS
    sleep 20m
  endwhile
  return Condition()
enddef

def CheckPython(): bool
  if install.IsRunning()
    Add('WARNING', 'Python is being installed', 'Run :ClaudeCheck again afterwards')
    return false
  endif
  const found = python.Find()
  const checked = found.path ==# '' ? {problem: found.problem} : python.Check(found.path)
  if has_key(checked, 'version')
    Add('OK', $'Python {checked.version}: {found.path}')
    return true
  endif
  const problem = checked.problem
  const text = found.path ==# '' ? problem : $'{found.path}: {problem}'
  Add('ERROR', text, python.Remedy(problem).text)
  return false
enddef

def CheckConnection()
  findings = []
  channel.Emit('check', {})
  if !WaitFor(() => !empty(findings) || empty(host.Server()))
    Add('ERROR', 'The host does not answer', 'See :ClaudeLog')
  elseif empty(host.Server())
    Add('ERROR', 'The host ended before it answered', 'See :ClaudeLog')
    return
  endif
  const port = string(host.Server().port)
  if $CLAUDE_CODE_SSE_PORT ==# port
    Add('OK', $'Terminals of this Vim get CLAUDE_CODE_SSE_PORT={port}')
  else
    Add('ERROR', $'CLAUDE_CODE_SSE_PORT is {$CLAUDE_CODE_SSE_PORT}, not the server’s')
  endif
  for finding in findings
    Add(LEVELS[finding.level], finding.line, get(finding, 'advice', ''))
  endfor
enddef

def CheckServer()
  const was_running = !empty(host.Server())
  if !was_running
    ClaudeStart!
  endif
  if !WaitFor(() => !empty(host.Server()))
    Add('ERROR', 'The server does not start', 'See :messages and :ClaudeLog')
    return
  endif
  CheckConnection()
  if !was_running
    ClaudeStop!
    Add('INFO', 'The server was started for this check and stopped afterwards')
  endif
enddef

# Show the report in the window of an earlier one, or in a new one.
def Show()
  const existing = bufwinid(NAME)
  if existing > 0
    win_gotoid(existing)
  else
    execute 'silent botright new' NAME
    setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted filetype=markdown
    nnoremap <buffer> <nowait> q <Cmd>close<CR>
  endif
  setlocal modifiable
  silent :%delete _
  setline(1, lines)
  setlocal nomodifiable nomodified
enddef

# Run all checks, and show their results.
export def Check()
  const file = readfile(python.ROOT .. '/python/claude_ide/__init__.py')->join("\n")
  lines = ['# claude_ide', '']
  Add('OK', 'claude-ide ' .. matchstr(file, '__version__ = "\zs[^"]\+'))
  Add('OK', execute('version')->split("\n")->get(0, 'Vim'))
  if CheckPython()
    CheckServer()
  endif
  if empty(getcompletion('claude-ide-intro', 'help'))
    Add('WARNING', 'The help of the plugin has no tags',
      $'Run :ClaudeInstall, or :helptags {python.ROOT}/doc')
  endif
  Show()
enddef

defcompile
