vim9script
# Starts a CLI: in a terminal buffer, in a pane of tmux, or as the user's function wants it.

import autoload './clients.vim'
import autoload './custom.vim'
import autoload './focus.vim'
import autoload './pane.vim'
import autoload './register.vim'
import autoload './keys.vim'
import autoload './typing_mode.vim'
import autoload './window.vim'
import autoload '../channel.vim'
import autoload '../window/inside.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../system/program.vim'
import autoload '../timing/moment.vim'

var failed = 0 # the buffer with the last output of a CLI that ended with an error

def RemoveBuffer(bufnr: number)
  for win in win_findbuf(bufnr)
    window.Close(win)
  endfor
  if bufexists(bufnr)
    execute $'silent bwipeout! {bufnr}'
  endif
  moment.Settle()
enddef

# Keep the last output until its window is closed or another CLI is started.
def KeepOutput(bufnr: number)
  failed = bufnr
  setbufvar(bufnr, '&bufhidden', window.IsShown(bufnr) ? 'wipe' : 'hide')
enddef

def Ended(bufnr: number, launch: string, code: number)
  const terminal = register.Of(bufnr)
  if !empty(terminal)
    register.Remove(terminal)
  elseif launch !=# ''
    channel.Emit('terminal_ended', {launch: launch})
  endif
  if type(v:exiting) != v:t_none || !bufexists(bufnr)
    return
  elseif code != 0
    KeepOutput(bufnr)
    clients.Mark()
    return
  endif
  moment.WhenPossible(() => RemoveBuffer(bufnr), (problem) => {
    message.Show($'the terminal cannot be closed: {problem}', 'error')
  })
enddef

# With the same name twice, the user could not tell `:buffer` which one is meant.
def BufferName(name: string): string
  const wanted = name =~# '^\d\+$' ? 'Claude' : $'Claude ({name})'
  const taken = term_list()->mapnew((_, bufnr) => bufname(bufnr))
  var [found, number] = [wanted, 1]
  while taken->index(found) >= 0
    number += 1
    found = $'{wanted} {number}'
  endwhile
  return found
enddef

# The CLI shows exact colours if this says that the terminal has them, as Vim's does then.
def Environment(request: dict<any>): dict<any>
  const has_colours = has('gui_running') || &termguicolors
  return extendnew(request.env, has_colours ? {COLORTERM: 'truecolor'} : {})
enddef

# Run a command in the current window. Returns the buffer.
def RunHere(command: list<string>, name: string, request: dict<any>): number
  const bufnr = term_start(command, {
    curwin: true,
    term_name: BufferName(name),
    # `:qa` ends the CLI instead of refusing.
    term_kill: 'term',
    # A session that starts a CLI would start one that is not connected.
    norestore: true,
    env: Environment(request),
    exit_cb: (ended, code) => {
      const index = term_list()->indexof((_, each) => term_getjob(each) == ended)
      Ended(index < 0 ? 0 : term_list()[index], get(request, 'launch', ''), code)
    },
  })
  if bufnr == 0
    throw 'claude-ide: the terminal does not open'
  endif
  setlocal bufhidden=hide nobuflisted
  return bufnr
enddef

# Watch a terminal that was added: `has_keys` is whether CTRL-W leads out of it, and CTRL-Z out of Vim.
def Watch(terminal: dict<any>, has_keys: bool)
  const bufnr: number = terminal.bufnr
  setbufvar(bufnr, 'claude_ide_launch', terminal.launch)
  typing_mode.Watch(bufnr)
  if getbufvar(bufnr, '&filetype') ==# ''
    silent! setbufvar(bufnr, '&filetype', 'claude-terminal')
  endif
  if has_keys
    keys.Define(bufnr)
    # Suspended, the CLI could not be continued: it has no shell.
    inside.Run(bufnr, 'tnoremap <buffer> <C-z> <Cmd>suspend<CR>')
  else
    # CTRL-W goes to the CLI; CTRL-\ CTRL-N leads out in any case.
    setbufvar(bufnr, '&termwinkey', '<C-\>')
  endif
  execute $'augroup claude_ide_terminal_{bufnr}'
    autocmd!
    execute $'autocmd BufEnter <buffer={bufnr}> Use({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once autocmd! claude_ide_terminal_{bufnr}'
  augroup END
  clients.Mark()
enddef

def Use(bufnr: number)
  register.Use(register.Of(bufnr))
enddef

def TakeFailed(): number
  const bufnr = failed
  failed = 0
  return bufnr > 0 && bufexists(bufnr) ? bufnr : 0
enddef

def InBuffer(command: list<string>, request: dict<any>)
  const name = register.NewName()
  const old = TakeFailed()
  final started = {bufnr: 0}
  const Fill = () => {
    started.bufnr = RunHere(command, name, request)
  }
  if old > 0 && window.Of(old) > 0
    setbufvar(old, '&bufhidden', 'hide')
    window.FillIn(window.Of(old), Fill)
  else
    window.OpenFor(request, Fill)
  endif
  if old > 0
    RemoveBuffer(old)
  endif
  const place = {side: request.side, size: request.size}
  const known = {bufnr: started.bufnr, name: name, place: place, launch: get(request, 'launch', '')}
  Watch(register.Add(known), request.keys)
  typing_mode.Begin(started.bufnr)
enddef

def InPane(command: list<string>, request: dict<any>)
  const opened = pane.Open(command, request.env, request.size, request.mark)
  const place = {side: 'tmux', size: request.size}
  const launch = get(request, 'launch', '')
  register.Add({pane: opened, name: register.NewName(), place: place, launch: launch})
enddef

# Take over a CLI that an earlier editor has left in a pane of tmux: its `id` and `pid`, the `launch`
# under which it reports what it does (empty if it does not), its new `mark`, and the `size` of the
# option `terminal.size`.
export def Adopt(left: dict<any>)
  pane.Mark(left.id, left.mark)
  register.Add({
    pane: {id: left.id, pid: left.pid},
    name: register.NewName(),
    place: {side: 'tmux', size: left.size},
    launch: left.launch,
    is_found: true,
  })
enddef

# The user's function has given the terminal its window, and closes it.
def AsWanted(command: list<string>, request: dict<any>, Open: func)
  const wanted = {cmd: command, cwd: getcwd(), env: Environment(request)}
  const bufnr = custom.Call(Open, wanted)
  if bufnr == 0
    return
  endif
  const place = {side: Open, size: request.size}
  const launch = get(request, 'launch', '')
  const known = {bufnr: bufnr, name: register.NewName(), place: place, launch: launch}
  Watch(register.Add(known), request.keys)
enddef

# Why a CLI opens in a split and not at its side; an empty string if it opens there.
def Refusal(side: string): string
  return side ==# 'float' ? 'a terminal in a popup cannot be left'
    : side ==# 'tmux' ? pane.Refusal() : ''
enddef

# Start a CLI and go there. `request` has what `commands.py` says. Throws one line.
export def Start(request: dict<any>)
  const name: string = request.cmd[0]
  const path = program.Find(name)
  if path ==# ''
    const problem = name =~# '[/\\]' ? 'no program' : 'not on PATH'
    const hint = name ==# 'claude' ? ':ClaudeCheck says how to install it' : 'g:claude_ide.cmd'
    throw $'claude-ide: {name} is {problem} ({hint})'
  endif
  const command: list<string> = [path] + request.cmd[1 :] + request.arguments
  const functions = custom.Find()
  if !empty(functions)
    AsWanted(command, request, functions[0])
    return
  endif
  const refusal = Refusal(request.side)
  if request.side ==# 'tmux' && refusal ==# ''
    InPane(command, request)
    return
  endif
  InBuffer(command, request)
  if refusal !=# ''
    message.Show($'{refusal}, so Claude opens in a split', 'warn')
  endif
enddef

# The buffer with the output of a CLI that has failed while it was hidden; 0 if there is none. It is
# shown once.
export def UnseenFailure(): number
  return failed > 0 && bufexists(failed) && !window.IsShown(failed) ? failed : 0
enddef

defcompile
