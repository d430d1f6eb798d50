vim9script
# The window of a terminal: opened at a side, in a tab page or by a function of the user's, found, and
# closed without a trace.

import autoload './protected_window.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../own_options.vim'

const SPLITS = {
  right: 'botright vertical',
  left: 'topleft vertical',
  above: 'topleft',
  below: 'botright',
}

# By window: the arrangement of the others before it was opened, and its own share of the screen.
var arrangements: dict<dict<any>> = {}
var shares: dict<dict<any>> = {}

# The window that shows a buffer in this tab page; 0 if none does.
export def Of(bufnr: number): number
  return max([bufwinid(bufnr), 0])
enddef

def Resize(win: number, is_wide: bool, size: number)
  win_execute(win, $'{is_wide ? "vertical " : ""}resize {size}')
enddef

def SizeOf(win: number, is_wide: bool): number
  return is_wide ? winwidth(win) : winheight(win)
enddef

# Vim takes the columns or lines that a smaller screen lacks from the last window. Keep the share of
# the screen instead, which the user may have changed.
def FitAll()
  for [key, kept] in items(shares)
    const win = str2nr(key)
    const whole = kept.is_wide ? &columns : &lines
    if win_id2tabwin(win) == [0, 0]
      shares->remove(key)
      arrangements->remove(key)
    elseif win_id2win(win) == 0
      continue
    elseif whole != kept.whole
      kept.whole = whole
      kept.size = float2nr(round(kept.share * whole))
      Resize(win, kept.is_wide, kept.size)
    elseif kept.size != SizeOf(win, kept.is_wide)
      kept.size = SizeOf(win, kept.is_wide)
      kept.share = kept.size * 1.0 / whole
    endif
  endfor
enddef

def KeepShare(win: number, is_wide: bool)
  const whole = is_wide ? &columns : &lines
  const size = SizeOf(win, is_wide)
  shares[win] = {is_wide: is_wide, whole: whole, size: size, share: size * 1.0 / whole}
  augroup claude_ide_terminal_size
    autocmd!
    autocmd VimResized,TabEnter * FitAll()
    if exists('##WinResized')
      autocmd WinResized * FitAll()
    endif
  augroup END
enddef

def OpenSplit(place: dict<any>)
  const side: string = has_key(SPLITS, place.side) ? place.side : 'right'
  const is_wide = side ==# 'right' || side ==# 'left'
  const whole = is_wide ? &columns : &lines
  const size = float2nr(place.size < 1 ? whole * place.size : place.size * 1.0)
  const before = {layout: winlayout(), sizes: winrestcmd(), screen: [&columns, &lines]}
  execute SPLITS[side] 'split'
  const win = win_getid()
  Resize(win, is_wide, size)
  arrangements[win] = extendnew(before, {opened: winrestcmd()})
  KeepShare(win, is_wide)
enddef

# Of the current window: a split has copied those of another one.
def SetOptions()
  setlocal nonumber norelativenumber signcolumn=no foldcolumn=0 nospell nolist
  setlocal nodiff noscrollbind nocursorbind nofoldenable
enddef

# Call `Fill`, which shows a terminal in the current window, in a new one at its place, and go
# there. If it raises an error, the window is closed again.
export def OpenFor(place: dict<any>, Fill: func)
  const origin = win_getid()
  if place.side ==# 'tab'
    tab split
  else
    OpenSplit(place)
  endif
  const win = win_getid()
  try
    call(Fill, [])
  catch
    const raised = v:exception
    Close(win)
    win_gotoid(origin)
    throw $'claude-ide: {raised}'
  endtry
  SetOptions()
  protected_window.Keep()
enddef

# Call `Fill` in a window that exists, and go there.
export def FillIn(win: number, Fill: func)
  win_gotoid(win)
  protected_window.Release(win)
  call(Fill, [])
  SetOptions()
  protected_window.Keep()
enddef

# Vim9 script would look for a global function that has no `g:` in this script only.
def Callable(Fn: func): func
  const name: string = get(Fn, 'name')
  return name =~# '^\u\w*$' ? function('g:' .. name, get(Fn, 'args')) : Fn
enddef

# The user's function that opens terminals (the option `terminal.side`) in a list; an empty list if
# there is none. Only Vim reads it: a function cannot be passed to the host.
export def Custom(): list<func>
  const Side = own_options.Get('terminal', 'side')
  return type(Side) == v:t_func ? [Callable(Side)] : []
enddef

# Call the user's function. An error is shown, and so is a result that is no buffer. Returns the
# buffer of the terminal; 0 if it is not in this Vim.
export def CallCustom(Open: func, terminal: dict<any>): number
  const outcome = reason.Attempt(Open, [terminal])
  if !outcome[0]
    message.Show($'terminal.side: {outcome[1]}', 'error')
    return 0
  endif
  const result = outcome[1]
  const is_buffer = type(result) == v:t_number && bufexists(result)
  const is_elsewhere = type(result) == v:t_none || (type(result) == v:t_number && result == 0)
  if has_key(terminal, 'cmd') && !is_buffer && !is_elsewhere
    message.Show($'terminal.side returned {string(result)}, not a buffer; 0: none here', 'error')
  endif
  return is_buffer ? result : 0
enddef

# Show the buffer of a terminal in a new window, and go there.
export def Open(bufnr: number, place: dict<any>)
  const Side = place.side
  if type(Side) == v:t_func
    CallCustom(Side, {bufnr: bufnr})
    if Of(bufnr) > 0
      win_gotoid(Of(bufnr))
      return
    endif
  endif
  const where = type(Side) == v:t_func ? {side: 'right', size: place.size} : place
  OpenFor(where, () => execute($'buffer {bufnr}'))
enddef

# The only window of Vim shows another buffer instead: the one before, or an empty one.
def ShowAnother(win: number)
  const before = bufnr('#')
  const has_other = before > 0 && buflisted(before) && before != winbufnr(win)
  win_execute(win, has_other ? $'buffer {before}' : 'enew')
enddef

# Give the others the sizes that they had before a window was opened, unless the user has changed
# them.
def Rearrange(arrangement: dict<any>)
  if !empty(arrangement) && arrangement.layout == winlayout()
      && arrangement.screen == [&columns, &lines]
    execute arrangement.sizes
  endif
enddef

# Close a window. The user goes on where they were before they came there; if they are elsewhere,
# they stay.
export def Close(win: number)
  const [tab, _] = win_id2tabwin(win)
  protected_window.Release(win)
  if tab == 0
    return
  elseif tabpagenr('$') == 1 && winnr('$') == 1
    ShowAnother(win)
    return
  endif
  const key = string(win)
  var arrangement: dict<any> = {}
  if has_key(arrangements, key)
    arrangement = arrangements->remove(key)
    shares->remove(key)
  endif
  const is_as_opened = !empty(arrangement) && tab == tabpagenr()
    && arrangement.opened ==# winrestcmd()
  if win == win_getid() && winnr('#') > 0
    wincmd p
  endif
  win_execute(win, 'close')
  if is_as_opened
    Rearrange(arrangement)
  endif
enddef

defcompile
