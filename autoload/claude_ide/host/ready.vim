vim9script
# Postpones commands that need the host until its Python is installed, and offers to install it.

import autoload './python.vim'
import autoload '../channel.vim'
import autoload '../ui/vim_ui.vim'
import autoload '../messages/message.vim'
import autoload '../timing/moment.vim'

# Commands that make sense some seconds later; true: only where nothing has changed.
const PATIENT = {
  Claude: false,
  ClaudeAdd: false,
  ClaudeAsk: true,
  ClaudeCommit: true,
  ClaudeEdit: true,
  ClaudeSend: true,
  ClaudeStart: false,
  ClaudeType: false,
}

var latest: dict<any> = {} # the last command that was run
var pending: list<dict<any>> = [] # commands that wait for an installation
var is_offering = false

def IsInstalling(): bool
  return exists('*claude_ide#host#install#IsRunning') && claude_ide#host#install#IsRunning()
enddef

# The repeated command would toggle what the first one has opened.
def Postpone(command: dict<any>)
  pending->filter((_, other) =>
    other.name !=# command.name || other.options.args != command.options.args)
  pending->add(command)
enddef

def WhenFree(Fn: func)
  moment.WhenFree(Fn, (reason) => {
    is_offering = false
    message.Show(reason, 'error')
  })
enddef

def AskToInstall(problem: string, refusal: string)
  if is_offering || IsInstalling()
    return
  endif
  is_offering = true
  WhenFree(() => {
    const prompt = $'claude-ide: {problem}. Run :ClaudeInstall now?'
    vim_ui.Select(prompt, ['Yes', 'Not now'], (index) => {
      is_offering = false
      if index == 1
        claude_ide#host#install#Run()
      else
        pending = []
        message.Show(refusal, 'warn')
      endif
    })
  })
enddef

def Refuse(command: dict<any>, problem: string)
  if !empty(command) && has_key(PATIENT, command.name)
    Postpone(command)
  endif
  const refusal = python.Refusal(problem)
  # `:ClaudeStart!` is what starts the server without a user.
  const is_typed = !empty(command) && !(command.name ==# 'ClaudeStart' && command.options.bang)
  if python.Remedy(problem).is_installable && is_typed
    AskToInstall(problem, refusal)
  else
    message.Show(refusal, 'error')
  endif
enddef

# Run a command now, or after the current installation, or after one that the user is offered.
# `options` has its `args`, `lines` and `bang`; `Fn` runs it.
export def Run(name: string, options: dict<any>, Fn: func)
  if channel.IsOpen()
    Fn()
    return
  endif
  const command = {name: name, options: options, Fn: Fn, bufnr: bufnr(), tick: b:changedtick}
  if IsInstalling() && has_key(PATIENT, name)
    Postpone(command)
    message.Show($'Python is being installed; :{name} runs afterwards', 'info')
    return
  elseif IsInstalling()
    message.Show($'Python is being installed; run :{name} again afterwards', 'warn')
    return
  endif
  const problem = python.Problem()
  if problem !=# ''
    Refuse(command, problem)
    return
  endif
  latest = command
  Fn()
enddef

# The Python of the host cannot run it: offer an installation, or show why.
export def LacksPython(problem: string)
  const command = latest
  latest = {}
  Refuse(command, problem)
enddef

def RunNow(command: dict<any>)
  const is_here = bufnr() == command.bufnr && b:changedtick == command.tick
  if PATIENT[command.name] && !is_here
    message.Show($'Python is ready; run :{command.name} again', 'warn')
    return
  endif
  if !is_here
    # A range only makes sense in the text in which it was typed.
    command.options.lines = []
  endif
  call(command.Fn, [])
enddef

# The names of the commands that wait, such as `:Claude, :ClaudeStart`; empty without any.
export def Waiting(): string
  return pending->mapnew((_, command) => ':' .. command.name)->join(', ')
enddef

# Python has been installed: run the commands that wait for it.
export def Installed()
  const commands = pending
  pending = []
  if !empty(commands)
    WhenFree(() => {
      for command in commands
        RunNow(command)
      endfor
    })
  endif
enddef

defcompile
