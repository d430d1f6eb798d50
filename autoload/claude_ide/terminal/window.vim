vim9script
# The window of a terminal: opened at a side, in a tab page or by a function of the user's, found, kept for the
# terminal, and closed without a trace.

import autoload '../file/load.vim'
import autoload '../file/open.vim' as open_files
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'

const SPLITS = {
  right: 'botright vertical',
  left: 'topleft vertical',
  above: 'topleft',
  below: 'botright',
}

# By window, those that were opened as splits: whether a window `is_wide` (beside the others), the `whole`
# size of the screen, its own `size` and its `share`; the others' arrangement before it was opened:
# `layout`, `screen` and `sizes`; and the sizes when it was `opened`.
var splits: dict<dict<any>> = {}
var kept: dict<number> = {} # by window: the buffer of its terminal

# Keep the terminal that the current window shows in it: a file that is opened there moves to a window for files.
def Keep()
  kept[win_getid()] = bufnr()
  augroup claude_ide_terminal_window
    autocmd!
    autocmd BufEnter,BufWinEnter * Arrived(win_getid())
  augroup END
enddef

# The window is about to show something else.
def Release(win: number)
  if has_key(kept, win)
    kept->remove(string(win))
  endif
enddef

# Whether a window has to show its terminal again. Another terminal of a CLI may stay in it.
def IsLost(win: number): bool
  const shown = winbufnr(win)
  if shown < 0 || empty(claude_ide#terminals#Of(get(kept, win, 0)))
    Release(win)
  elseif !empty(claude_ide#terminals#Of(shown))
    kept[win] = shown
  endif
  return has_key(kept, win) && kept[win] != shown
enddef

def Arrived(win: number)
  if has_key(kept, win) && IsLost(win)
    # The command that opens a buffer moves the cursor afterwards.
    moment.WhenPossible(() => SendAway(win), (why) => {
      message.Show($'the terminal cannot leave its window: {why}', 'error')
    })
  endif
enddef

def SendAway(win: number)
  if !IsLost(win)
    return
  endif
  const [bufnr, has_user] = [winbufnr(win), win == win_getid()]
  const view = win_execute(win, 'echo string(winsaveview())')->trim()->eval()
  # A buffer that is wiped out when no window shows it has to survive the move.
  const bufhidden = getbufvar(bufnr, '&bufhidden')
  setbufvar(bufnr, '&bufhidden', 'hide')
  win_execute(win, $'noautocmd buffer {kept[win]}')
  const other = has_user ? open_files.ToEnter(bufnr) : open_files.ToShow(bufnr)
  if other > 0
    const refusal = get(load.InWindow(other, bufnr), 'error', '')
    win_execute(other, $'winrestview({string(view)})')
    if has_user
      win_gotoid(other)
    endif
    if refusal !=# ''
      message.Show(refusal, 'error')
    endif
  endif
  setbufvar(bufnr, '&bufhidden', bufhidden)
enddef

# The window that shows a buffer in this tab page; 0 if none does.
export def Of(bufnr: number): number
  return max([bufwinid(bufnr), 0])
enddef

def Resize(win: number, is_wide: bool, size: number)
  win_execute(win, $'{is_wide ? "vertical " : ""}resize {size}')
enddef

# Vim takes the columns or lines that a smaller screen lacks from the last window. Keep the share of
# the screen instead, which the user may have changed.
def FitAll()
  for [key, split] in items(splits)
    const win = str2nr(key)
    const whole = split.is_wide ? &columns : &lines
    const size = split.is_wide ? winwidth(win) : winheight(win)
    if win_id2tabwin(win) == [0, 0]
      splits->remove(key)
    elseif win_id2win(win) > 0 && whole != split.whole
      extend(split, {whole: whole, size: float2nr(round(split.share * whole))})
      Resize(win, split.is_wide, split.size)
    elseif win_id2win(win) > 0 && size != split.size
      extend(split, {size: size, share: size * 1.0 / whole})
    endif
  endfor
enddef

def OpenSplit(place: dict<any>)
  const side: string = has_key(SPLITS, place.side) ? place.side : 'right'
  const is_wide = side ==# 'right' || side ==# 'left'
  const whole = is_wide ? &columns : &lines
  const wanted = float2nr(place.size < 1 ? whole * place.size : place.size * 1.0)
  const before = {layout: winlayout(), sizes: winrestcmd(), screen: [&columns, &lines]}
  execute SPLITS[side] 'split'
  const win = win_getid()
  Resize(win, is_wide, wanted)
  const size = is_wide ? winwidth(win) : winheight(win)
  splits[win] = extendnew(before, {is_wide: is_wide, whole: whole, size: size,
    share: size * 1.0 / whole, opened: winrestcmd()})
  augroup claude_ide_terminal_size
    autocmd!
    autocmd VimResized,TabEnter * FitAll()
    if exists('##WinResized')
      autocmd WinResized * FitAll()
    endif
  augroup END
enddef

# Call `Show`, which shows a terminal in the current window: in the window `win`, or, if that is 0, in a
# new one at a place, which is closed again if it raises an error. Go there.
export def Fill(win: number, place: dict<any>, Show: func)
  const origin = win_getid()
  if win > 0
    win_gotoid(win)
    Release(win)
  elseif place.side ==# 'tab'
    tab split
  else
    OpenSplit(place)
  endif
  try
    call(Show, [])
  catch
    const raised = v:exception
    if win == 0
      Close(win_getid())
      win_gotoid(origin)
    endif
    throw $'claude-ide: {raised}'
  endtry
  # A split has copied those of another window.
  setlocal nonumber norelativenumber signcolumn=no foldcolumn=0 nospell nolist
  setlocal nodiff noscrollbind nocursorbind nofoldenable
  Keep()
enddef

# The user's function that opens terminals (the option `terminal.side`), or null. Only Vim reads it: a
# function cannot be passed to the host.
export def Custom(): func
  const Side = claude_ide#editor#Option('terminal', 'side')
  if type(Side) != v:t_func
    return null_function
  endif
  # Vim9 script would look for a global function that has no `g:` in this script only.
  const name: string = get(Side, 'name')
  return name =~# '^\u\w*$' ? function('g:' .. name, get(Side, 'args')) : Side
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
  const is_custom = type(Side) == v:t_func
  if is_custom
    CallCustom(Side, {bufnr: bufnr})
  endif
  if is_custom && Of(bufnr) > 0
    win_gotoid(Of(bufnr))
  else
    Fill(0, is_custom ? {side: 'right', size: place.size} : place, () => execute($'buffer {bufnr}'))
  endif
enddef

# Close a window; the only one of Vim shows another buffer instead: the one before, or an empty one. The
# user goes on where they were before they came there; if they are elsewhere, they stay. The others get
# the sizes that they had before the window was opened, unless the user has changed them.
export def Close(win: number)
  const [tab, _] = win_id2tabwin(win)
  Release(win)
  if tab == 0
    return
  elseif tabpagenr('$') == 1 && winnr('$') == 1
    const before = bufnr('#')
    const has_other = before > 0 && buflisted(before) && before != winbufnr(win)
    win_execute(win, has_other ? $'buffer {before}' : 'enew')
    return
  endif
  const split = has_key(splits, win) ? splits->remove(string(win)) : {}
  const is_as_opened = !empty(split) && tab == tabpagenr() && split.opened ==# winrestcmd()
  if win == win_getid() && winnr('#') > 0
    wincmd p
  endif
  win_execute(win, 'close')
  if is_as_opened && split.layout == winlayout() && split.screen == [&columns, &lines]
    execute split.sizes
  endif
enddef

defcompile
