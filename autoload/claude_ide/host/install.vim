vim9script
# `:ClaudeInstall`: creates or updates the plugin's own Python environment.

import autoload '../host.vim'
import autoload '../messages/log.vim'
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../system/program.vim'

const PERIOD = 100 # milliseconds between two looks at the installer
const LONGEST = 1800.0 # seconds

var running = false
var lines: list<string> = [] # of the installer
var shown = 0 # the popup with its last line

def ShowLine(line: string)
  const text = message.Fit('claude-ide: ' .. plain.OneLine(line), max([&columns - 8, 1]))
  # The position is that of no message, which would cover it.
  if empty(popup_getpos(shown))
    shown = popup_create(text, {line: 2, col: &columns - 1, pos: 'topright', padding: [0, 1, 0, 1],
      tabpage: -1, zindex: 190})
  else
    popup_settext(shown, text)
  endif
enddef

def Received(_: channel, line: string)
  log.Append([line])
  if line =~# '\S'
    lines->add(line)
    if running
      ShowLine(line)
    endif
  endif
enddef

def Success(): string
  if claude_ide#python#Configured() !=# ''
    return $'installed, but g:claude_ide.python is set and used instead: {claude_ide#python#Configured()}'
  elseif host.Outdate()
    return 'Python is updated; :ClaudeStop | ClaudeStart restarts the server with it'
  endif
  const waiting = claude_ide#ready#Waiting()
  return waiting !=# '' ? $'Python is ready for {waiting}'
    : 'Python is ready; :Claude opens Claude Code'
enddef

def Ended(installer: job, code: number)
  const handle = job_getchannel(installer)
  for line in program.Unread(handle, 'out') + program.Unread(handle, 'err')
    Received(handle, line)
  endfor
  running = false
  popup_close(shown)
  if code == 0
    # A plain clone has no help tags: without them `:help claude_ide` would fail.
    execute 'silent! helptags' fnameescape(claude_ide#python#Root() .. '/doc')
    message.Show(Success(), 'info')
    claude_ide#ready#Installed()
  else
    # The last line that the installer prints is the reason why it failed.
    message.Show(trim(get(lines, -1, 'The installer gave no reason')) .. '; see :ClaudeLog', 'error')
  endif
enddef

# Whether this Vim is installing.
export def IsRunning(): bool
  return running
enddef

# CTRL-C ends the waiting and not the installation.
def Wait(installer: job)
  const began = reltime()
  try
    while running && reltimefloat(reltime(began)) < LONGEST
      execute $'sleep {PERIOD}m'
    endwhile
  catch /^Vim:Interrupt$/
  endtry
  if running
    message.Show('the installation continues in the background', 'info')
  endif
enddef

# Create or update the environment in the background; with `wait`, return when it is done.
export def Run(wait = false)
  if running
    message.Show('An installation is already running', 'error')
    return
  endif
  const path = claude_ide#python#Recent()
  if path ==# ''
    message.Show(claude_ide#python#Refusal()[0], 'error')
    return
  endif
  const script = claude_ide#python#Root() .. '/python/claude_ide/install.py'
  lines = []
  running = true
  const installer = job_start([path, '-I', script, claude_ide#python#Own(), '--vim'], {
    # Version managers would choose a Python according to the working folder.
    cwd: program.NEUTRAL,
    mode: 'nl',
    in_io: 'null',
    out_cb: Received,
    err_cb: Received,
    exit_cb: Ended,
  })
  if job_status(installer) ==# 'fail'
    running = false
    message.Show($'cannot run {path}', 'error')
    return
  endif
  ShowLine('starting')
  if wait
    Wait(installer)
  endif
enddef

# Run `:ClaudeInstall`. A `package` could only be used in Neovim.
export def Command(package: string, bang: bool)
  if package ==# ''
    Run(bang)
  else
    message.Show(':ClaudeInstall with a package needs Neovim', 'warn')
  endif
enddef

defcompile
