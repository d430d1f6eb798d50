vim9script
scriptencoding utf-8
# `:ClaudeCheck`: checks each step from the command to a connected CLI, and shows the report in a
# window. Neovim has `:checkhealth claude_ide`.

import autoload './channel.vim'
import autoload './health/cli.vim'
import autoload './host.vim'
import autoload './host/install.vim'
import autoload './host/lock.vim'
import autoload './host/python.vim'
import autoload './privacy.vim'
import autoload './messages/plain.vim'
import autoload './system/program.vim'

const PATIENCE = 8.0 # seconds
const NAME = 'claude-ide://check'

var steps: list<dict<any>> = [] # the host's steps in connecting to its own server
var has_report = false
var lines: list<string> = []

def Add(level: string, text: string, advice = '')
  lines->add($'- {level} {plain.OneLine(text)}')
  if advice !=# ''
    lines->extend(['  - ADVICE:', $'    - {plain.OneLine(advice)}'])
  endif
enddef

# Called by the host with the steps of its check (`check.py`).
export def Receive(received: list<dict<any>>): bool
  steps = received
  has_report = true
  return true
enddef

# Called by the host with what it knows about other agents: these are for the chat, which Vim lacks.
export def ReceiveAgents(_: list<dict<any>>): bool
  return true
enddef

# Messages of the host are handled during `sleep`.
def WaitFor(Condition: func(): bool): bool
  const began = reltime()
  while !Condition() && reltimefloat(reltime(began)) < PATIENCE
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
  steps = []
  has_report = false
  channel.Emit('check', {})
  if !WaitFor(() => has_report || empty(host.Server()))
    Add('ERROR', 'The host does not answer', 'See :ClaudeLog')
  elseif empty(host.Server())
    Add('ERROR', 'The host ended before it answered', 'See :ClaudeLog')
    return
  endif
  for step in steps
    Add(step.ok ? 'OK' : 'ERROR', $'{step.name}: {step.seen}')
  endfor
  const port = string(host.Server().port)
  if $CLAUDE_CODE_SSE_PORT ==# port
    Add('OK', $'Terminals of this Vim get CLAUDE_CODE_SSE_PORT={port}')
  else
    Add('ERROR', $'CLAUDE_CODE_SSE_PORT is {$CLAUDE_CODE_SSE_PORT}, not the server’s')
  endif
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

def CheckCli()
  for finding in cli.Findings()
    Add(finding[0], finding[1], get(finding, 2, ''))
  endfor
enddef

def IsFor(found: dict<any>): bool
  const folders = get(found, 'workspaceFolders', [])
  const here = getcwd() .. '/'
  return type(folders) == v:t_list && folders->indexof((_, folder) =>
    type(folder) == v:t_string && stridx(here, folder .. '/') == 0) >= 0
enddef

# If several editors announce the same folder, `claude --ide` connects to none of them. The next CLI
# deletes the locks of those that are gone.
def CheckRivals()
  for path in globpath(lock.Folder(), '*.lock', true, true)
    const found = lock.Read(path)
    const pid = get(found, 'pid', getpid())
    if type(pid) == v:t_number && pid != getpid() && IsFor(found) && program.IsAlive(pid)
      const name = get(found, 'ideName', 'an editor')
      Add('WARNING', $'Another editor has this folder open: {name} (pid {pid})',
        'Start claude from a terminal in this Vim (:Claude), or choose with /ide')
    endif
  endfor
enddef

# What cannot be read denies everything that it could deny, so it must be found quickly.
def CheckPrivacy()
  if !privacy.IsKnown()
    return
  endif
  const problems = privacy.Problems()
  for problem in problems
    Add('ERROR', problem, 'Until this is mended, no file that it could deny leaves Vim')
  endfor
  if empty(problems)
    const count = privacy.Count()
    const rules = count == 1 ? '1 rule' : $'{count} rules'
    Add('OK', $'Private files: {rules} of yours, and names of secrets '
      .. '(:help claude-ide-privacy)')
  endif
enddef

def CheckHelp()
  if empty(getcompletion('claude-ide-intro', 'help'))
    Add('WARNING', 'The help of the plugin has no tags',
      $'Run :ClaudeInstall, or :helptags {python.ROOT}/doc')
  endif
enddef

# The version with the commit of a clone.
def Version(): string
  const file = readfile(python.ROOT .. '/python/claude_ide/__init__.py')
  const version = file->join("\n")->matchstr('__version__ = "\zs[^"]\+')
  const git = getftype(python.ROOT .. '/.git') ==# '' ? '' : program.Find('git')
  const said = program.Run([git, '-C', python.ROOT, 'log', '-1', '--format=(%h of %cs)'])
  return said.code == 0 ? $'{version} {trim(said.output)}' : version
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
  lines = ['# claude_ide', '']
  Add('OK', $'claude-ide {Version()}')
  Add('OK', execute('version')->split("\n")->get(0, 'Vim'))
  if CheckPython()
    CheckServer()
  endif
  CheckCli()
  CheckRivals()
  CheckPrivacy()
  CheckHelp()
  Show()
enddef

defcompile
