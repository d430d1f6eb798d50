vim9script
# The CLIs in terminals: starts, shows and hides them (`:Claude`), and takes the user there and back
# (`:ClaudeFocus`).

import autoload './channel.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'
import autoload './terminal/typing_mode.vim'
import autoload './terminal/window.vim'
import autoload './timing/moment.vim'

const ANYWHERE = {side: 'right', size: 0.4}
const NONE_RUNS = 'no terminal of this Vim runs Claude (:Claude opens one)'

var failed = 0 # the buffer with the last output of a CLI that ended with an error
var origins: dict<dict<any>> = {} # by buffer: the window, mode and cursor where the user came from
var is_starting = false # whether a CLI starts soon

# Going there and back.

def Enter(bufnr: number, will_type: bool)
  const shown = win_findbuf(bufnr)
  const here = window.Of(bufnr)
  if !empty(shown)
    win_gotoid(here > 0 ? here : shown[0])
  else
    const terminal = claude_ide#terminals#Of(bufnr)
    window.Open(bufnr, empty(terminal) ? ANYWHERE : terminal.place)
  endif
  if will_type || (empty(shown) && !typing_mode.IsReading(bufnr))
    typing_mode.Begin(bufnr)
  endif
enddef

# Go to a terminal; show it if it is hidden. The user continues in the mode in which they left it,
# or types there in any case (`will_type`).
def Go(bufnr: number, will_type: bool)
  if getcmdwintype() !=# ''
    message.Show('close the command-line window first', 'warn')
    return
  endif
  const origin = {win: win_getid(), mode: mode(1)->matchstr("^[iRvV\<C-v>]"), cursor: getpos('.')}
  if origin.mode =~# "[vV\<C-v>]"
    execute "normal! \<Esc>"
  elseif origin.mode !=# ''
    stopinsert
  endif
  const failure = reason.Try(Enter, [bufnr, will_type])
  if failure !=# ''
    message.Show(failure, 'error')
  elseif win_getid() != origin.win
    origins[bufnr] = origin
  endif
enddef

# Go to a terminal, or have the host go to its pane; show it if it is hidden. `will_type` is as in `Go`.
def Show(terminal: dict<any>, will_type: bool)
  if empty(terminal.pane)
    Go(terminal.bufnr, will_type)
  else
    claude_ide#terminals#Visit(terminal.number)
    channel.Emit('pane_wanted', {id: terminal.pane.id})
  endif
enddef

# The window that the user came from, or another one; empty if nothing else is open. They may have come
# in another way since.
def WayBack(bufnr: number): dict<any>
  const before = win_getid(winnr('#'))
  const [origin, tab] = [get(origins, bufnr, {}), tabpagenr('#')]
  const from_tab = empty(origin) ? 0 : win_id2tabwin(origin.win)[0]
  if from_tab > 0 && (origin.win == before || from_tab == tab)
    return origin
  endif
  const wins = [before] + range(1, winnr('$'))->map((_, nr) => win_getid(nr))
  const other = wins->indexof((_, win) => win > 0 && winbufnr(win) != bufnr)
  const win = other >= 0 ? wins[other] : tab > 0 ? win_getid(tabpagewinnr(tab), tab) : 0
  return win > 0 ? {win: win, mode: '', cursor: []} : {}
enddef

# The key with which Insert and Replace mode continue where they were; of Visual mode `gv` has the
# area.
def Resuming(target: dict<any>): string
  if target.mode !~# '[iR]'
    return ''
  endif
  setpos('.', target.cursor)
  const is_at_end = target.cursor[2] > len(getline('.'))
  return target.mode ==# 'R' ? 'R' : is_at_end ? 'A' : 'i'
enddef

# Leave the current window, which shows a terminal, for the window that the user came from.
def Leave(bufnr: number)
  const target = WayBack(bufnr)
  if empty(target)
    window.Close(win_getid())
    return
  endif
  win_gotoid(target.win)
  # The first key still ends Terminal-Job mode, and would not be mapped.
  feedkeys("\<Ignore>\<Ignore>" .. Resuming(target), 'ni')
enddef

# `:ClaudeFocus`: go to Claude's terminal, or back to where the user was before.
export def ToggleFocus()
  if getbufvar('', 'claude_ide_terminal', false)
    Leave(bufnr())
    return
  endif
  const terminal = claude_ide#terminals#Current()
  # A terminal that the user has opened counts, if a client runs in it.
  const own = term_list()->filter((_, bufnr) => getbufvar(bufnr, 'claude_ide_terminal', false))
  if empty(terminal) && empty(own)
    message.Show(NONE_RUNS, 'warn')
    return
  endif
  # The user means the current selection, which would otherwise end with the visit to the terminal.
  if exists('*claude_ide#selection#Hold')
    claude_ide#selection#Hold([])
  endif
  Show(empty(terminal) ? {bufnr: own[0], pane: {}} : terminal, false)
enddef

# Called by the host. Go to the terminal in which a client runs; to the terminal of `:Claude` if
# none is found. `pid` is the client's, 0 if it is unknown. Returns `error` if there is none.
export def Focus(pid: number): any
  const found = claude_ide#terminals#OfClient(pid)
  const terminal = empty(found) ? claude_ide#terminals#Current() : found
  if empty(terminal)
    return {error: pid == 0 ? NONE_RUNS
      : 'Claude is not in a terminal of this Vim; switch to it yourself'}
  endif
  moment.WhenAsked(() => Show(terminal, true))
  return true
enddef

# Called by the host: show the CLI with a name instead of the current one, and go there.
export def Switch(name: string): bool
  const terminal = claude_ide#terminals#Named(name)
  if !empty(terminal)
    moment.WhenAsked(() => Show(terminal, true))
  endif
  return true
enddef

# Starting.

def RemoveBuffer(bufnr: number)
  for win in win_findbuf(bufnr)
    window.Close(win)
  endfor
  if bufexists(bufnr)
    execute $'silent bwipeout! {bufnr}'
  endif
  moment.Settle()
enddef

def Ended(bufnr: number, launch: string, code: number)
  const terminal = claude_ide#terminals#Of(bufnr)
  if !empty(terminal)
    claude_ide#terminals#Remove(terminal.number)
  elseif launch !=# ''
    channel.Emit('terminal_ended', {launch: launch})
  endif
  if type(v:exiting) != v:t_none || !bufexists(bufnr)
    return
  elseif code != 0
    # Keep the last output until its window is closed or another CLI is started.
    failed = bufnr
    setbufvar(bufnr, '&bufhidden', empty(win_findbuf(bufnr)) ? 'hide' : 'wipe')
    claude_ide#terminals#Mark()
    return
  endif
  claude_ide#quitting#After(() => {
    moment.WhenPossible(() => RemoveBuffer(bufnr), (problem) => {
      message.Show($'the terminal cannot be closed: {problem}', 'error')
    })
  })
enddef

# With the same name twice, the user could not tell `:buffer` which one is meant.
def BufferName(): string
  const taken = term_list()->mapnew((_, bufnr) => bufname(bufnr))
  var [found, number] = ['Claude', 1]
  while taken->index(found) >= 0
    number += 1
    found = $'Claude {number}'
  endwhile
  return found
enddef

# The CLI shows exact colours if this says that the terminal has them, as Vim's does then.
def Variables(request: dict<any>): dict<any>
  const has_colours = has('gui_running') || &termguicolors
  return extendnew(request.env, has_colours ? {COLORTERM: 'truecolor'} : {})
enddef

# Run a command in the current window. Returns the buffer.
def RunHere(request: dict<any>): number
  const bufnr = term_start(request.cmd, {
    curwin: true,
    term_name: BufferName(),
    # `:qa` ends the CLI instead of refusing.
    term_kill: 'term',
    # A session that starts a CLI would start one that is not connected.
    norestore: true,
    env: Variables(request),
    cwd: get(request, 'cwd', getcwd()),
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

# Add the terminal in a buffer, which is shown at a side.
def Add(request: dict<any>, bufnr: number, side: any)
  const place = {side: side, size: request.size}
  const [launch, attached] = [get(request, 'launch', ''), get(request, 'attached', '')]
  const shows = get(request, 'shows', '')
  claude_ide#terminals#Add({bufnr: bufnr, place: place, launch: launch, attached: attached, shows: shows})
  if getbufvar(bufnr, '&filetype') ==# ''
    silent! setbufvar(bufnr, '&filetype', 'claude-terminal')
  endif
  typing_mode.Attach(bufnr, request.keys)
  execute $'augroup claude_ide_terminal_{bufnr}'
    autocmd!
    execute $'autocmd BufEnter <buffer={bufnr}> Use({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once autocmd! claude_ide_terminal_{bufnr}'
  augroup END
enddef

def Use(bufnr: number)
  claude_ide#terminals#Use(claude_ide#terminals#Of(bufnr)->get('number', 0))
enddef

def StartNow(request: dict<any>)
  const Custom = window.Custom()
  if Custom != null_function
    # The function gives the terminal its window.
    const wanted = {cmd: request.cmd, cwd: get(request, 'cwd', getcwd()), env: Variables(request)}
    const bufnr = window.CallCustom(Custom, wanted)
    if bufnr > 0
      Add(request, bufnr, Custom)
    endif
    return
  endif
  const old = failed > 0 && bufexists(failed) ? failed : 0
  failed = 0
  if old > 0
    setbufvar(old, '&bufhidden', 'hide')
  endif
  window.Fill(old > 0 ? window.Of(old) : 0, request, () => RunHere(request))
  const bufnr = bufnr()
  if old > 0
    RemoveBuffer(old)
  endif
  Add(request, bufnr, request.side)
  typing_mode.Begin(bufnr)
enddef

# Called by the host: start a CLI, and go there, when the user is at rest; an error is shown then.
# `request` has its `cmd` (the path of the program, and its arguments), more variables of its
# environment (`env`), the `launch` under which it reports what it does (not if it does not), `keys`
# (whether CTRL-W leads out of it), `side` and `size`, and perhaps a `note` about its place, the folder to
# run it in (`cwd`), and the session in the background to which it is `attached`, whose launch it `shows`.
export def Start(request: dict<any>): bool
  is_starting = true
  moment.WhenAsked(() => {
    is_starting = false
    StartNow(request)
    if has_key(request, 'note')
      message.Show(request.note, 'warn')
    endif
  })
  return true
enddef

# Called by the host: take over a CLI in a pane of tmux: its `id` and `pid`, the `launch` under which
# it reports what it does (empty if it does not), and the `size` of the option `terminal.size`; it
# `is_found` if an earlier editor has left it.
export def Adopt(found: dict<any>): bool
  claude_ide#terminals#Add({
    pane: {id: found.id, pid: found.pid},
    place: {side: 'tmux', size: found.size},
    launch: found.launch,
    is_found: get(found, 'is_found', false),
  })
  return true
enddef

# Showing and hiding.

def ToggleBuffer(terminal: dict<any>)
  const bufnr: number = terminal.bufnr
  const is_tab = type(terminal.place.side) == v:t_string && terminal.place.side ==# 'tab'
  const win = window.Of(bufnr)
  if win == 0 && is_tab && !empty(win_findbuf(bufnr))
    Go(bufnr, true)
  elseif win == 0
    window.Open(bufnr, terminal.place)
    typing_mode.Begin(bufnr)
  else
    const is_here = win == win_getid()
    if is_tab && is_here
      Leave(bufnr)
    endif
    window.Close(win)
    if is_here
      typing_mode.Forget(bufnr)
    endif
  endif
enddef

def HasUnseenFailure(): bool
  return failed > 0 && bufexists(failed) && empty(win_findbuf(failed))
enddef

def ToggleNow(place: dict<any>)
  const terminal = claude_ide#terminals#Current()
  if !empty(terminal)
    ToggleBuffer(terminal)
  elseif HasUnseenFailure()
    window.Open(failed, place)
    setbufvar(failed, '&bufhidden', 'wipe')
  endif
enddef

# Called by the host: hide or show the CLI that runs, when the user is at rest; the host does that with a
# `pane`. If the last one failed while it was hidden, show its output instead, once. Returns whether it
# `is_done`: there is either.
export def Toggle(place: dict<any>): dict<any>
  const terminal = claude_ide#terminals#Current()
  const is_found = get(terminal, 'is_found', false)
  const pane: dict<any> = get(terminal, 'pane', {})
  if !empty(pane)
    claude_ide#terminals#Visit(terminal.number)
    return {is_done: true, pane: pane.id, is_found: is_found}
  endif
  const is_done = is_starting || !empty(terminal) || HasUnseenFailure()
  if is_done
    moment.WhenAsked(() => ToggleNow(place))
  endif
  return {is_done: is_done}
enddef

defcompile
