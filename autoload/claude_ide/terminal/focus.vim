vim9script
# `:ClaudeFocus`: into the terminal in which Claude runs, and back to where the user was.

import autoload './pane.vim'
import autoload './register.vim'
import autoload './typing_mode.vim'
import autoload './window.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

const ANYWHERE = {side: 'right', size: 0.4}

var origins: dict<dict<any>> = {} # by buffer: where the user came from
var is_going = false

# Where the user is: the window, the mode, and the cursor.
def Here(): dict<any>
  return {win: win_getid(), mode: mode(1)->matchstr("^[iRvV\<C-v>]"), cursor: getpos('.')}
enddef

# If the user enters the terminal in another way, they come from the previous window.
def Entered(bufnr: number)
  if !is_going && has_key(origins, bufnr)
    origins->remove(string(bufnr))
  endif
enddef

def Watch(bufnr: number)
  execute $'augroup claude_ide_focus_{bufnr}'
    autocmd!
    execute $'autocmd WinEnter <buffer={bufnr}> Entered({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once Forget({bufnr})'
  augroup END
enddef

def Forget(bufnr: number)
  if has_key(origins, bufnr)
    origins->remove(string(bufnr))
  endif
  execute $'autocmd! claude_ide_focus_{bufnr}'
enddef

def Enter(bufnr: number, will_type: bool)
  const shown = win_findbuf(bufnr)
  const here = window.Of(bufnr)
  if !empty(shown)
    win_gotoid(here > 0 ? here : shown[0])
  else
    const terminal = register.Of(bufnr)
    window.Open(bufnr, empty(terminal) ? ANYWHERE : terminal.place)
  endif
  if will_type || (empty(shown) && !typing_mode.IsReading(bufnr))
    typing_mode.Begin(bufnr)
  endif
enddef

# Go to a terminal; show it if it is hidden. The user continues in the mode in which they left it,
# or types there in any case (`will_type`).
export def Go(bufnr: number, will_type: bool)
  if getcmdwintype() !=# ''
    message.Show('close the command-line window first', 'warn')
    return
  endif
  const origin = Here()
  if origin.mode =~# "[vV\<C-v>]"
    execute "normal! \<Esc>"
  elseif origin.mode !=# ''
    stopinsert
  endif
  Watch(bufnr)
  is_going = true
  const failure = reason.Try(Enter, [bufnr, will_type])
  is_going = false
  if failure !=# ''
    message.Show(failure, 'error')
  elseif win_getid() != origin.win
    origins[bufnr] = origin
  endif
enddef

# Go to a terminal, or to its pane; show it if it is hidden. `will_type` is as in `Go`. Throws an
# error if tmux refuses.
export def Show(terminal: dict<any>, will_type: bool)
  if empty(terminal.pane)
    Go(terminal.bufnr, will_type)
  else
    pane.Focus(terminal.pane, terminal.place.size)
    terminal.is_found = false
    register.Use(terminal)
  endif
enddef

# The window that the user came from, or another one in this tab page; empty if nothing else is
# open.
def WayBack(bufnr: number): dict<any>
  const origin = get(origins, bufnr, {})
  if !empty(origin) && win_id2tabwin(origin.win) != [0, 0]
    return origin
  endif
  const wins = [win_getid(winnr('#'))] + range(1, winnr('$'))->map((_, nr) => win_getid(nr))
  const other = wins->indexof((_, win) => win > 0 && winbufnr(win) != bufnr)
  if other >= 0
    return {win: wins[other], mode: '', cursor: []}
  elseif tabpagenr('#') > 0
    return {win: win_getid(tabpagewinnr(tabpagenr('#')), tabpagenr('#')), mode: '', cursor: []}
  endif
  return {}
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
export def Leave(bufnr: number)
  const target = WayBack(bufnr)
  if empty(target)
    window.Close(win_getid())
    return
  endif
  win_gotoid(target.win)
  # The first key still ends Terminal-Job mode, and would not be mapped.
  feedkeys("\<Ignore>\<Ignore>" .. Resuming(target), 'ni')
enddef

# The buffer of a terminal of the user's in which a client runs; 0 if there is none.
def OwnTerminal(): number
  const found = term_list()->indexof((_, bufnr) => getbufvar(bufnr, 'claude_ide_terminal', false))
  return found < 0 ? 0 : term_list()[found]
enddef

# Go to Claude's terminal, or back to where the user was before (`:ClaudeFocus`).
export def Toggle()
  if getbufvar('', 'claude_ide_terminal', false)
    Leave(bufnr())
    return
  endif
  const terminal = register.Usable()
  const own = empty(terminal) ? OwnTerminal() : 0
  if empty(terminal) && own == 0
    message.Show('no terminal of this Vim runs Claude (:Claude opens one)', 'warn')
    return
  endif
  # The user means the current selection, which would otherwise end with the visit to the terminal.
  if exists('*claude_ide#selection#Hold')
    claude_ide#selection#Hold([])
  endif
  if empty(terminal)
    Go(own, false)
    return
  endif
  const failure = reason.Try(Show, [terminal, false])
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

defcompile
