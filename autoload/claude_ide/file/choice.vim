vim9script
# Chooses the window that shows a file: one that holds files, and whose buffer stays as it is.

import autoload '../timing/moment.vim'
import autoload '../window/recent.vim'
import autoload '../window/tiling.vim'

def IsInDiff(win: number): bool
  return !!tiling.Option(win, 'diff')
enddef

def HoldsFiles(win: number): bool
  return getbufvar(winbufnr(win), '&buftype') ==# ''
    && !tiling.Option(win, 'previewwindow')
    && !IsInDiff(win)
enddef

# Whether the buffer in `win` keeps its state when the window shows another one. Without 'hidden',
# Vim refuses to abandon a modified buffer.
def CanBeLeft(win: number): bool
  const bufnr = winbufnr(win)
  if len(win_findbuf(bufnr)) > 1
    return true
  endif
  const bufhidden = getbufvar(bufnr, '&bufhidden')
  return bufhidden ==# 'hide'
    || (bufhidden ==# '' && (&hidden || !getbufvar(bufnr, '&modified')))
enddef

def IsSuitable(win: number): bool
  return HoldsFiles(win) && !tiling.IsFixed(win) && CanBeLeft(win)
enddef

# The windows of a tabpage, the most recently used one first.
def Windows(tab: number): list<number>
  var wins = tiling.Windows(tab)
  const order = recent.Sort(wins->mapnew((_, win) => winbufnr(win)))
  const current = win_getid(tabpagewinnr(tab), tab)
  const Rank = (win: number): number => win == current ? -1 : order->index(winbufnr(win))
  return wins->sort((a, b) => Rank(a) == Rank(b) ? a - b : Rank(a) - Rank(b))
enddef

# Tabpages in the order of the search: the current one, the previous one, the others.
def Tabpages(): list<number>
  const first = [tabpagenr(), tabpagenr('#')]->filter((_, tab) => tab > 0)
  return first + range(1, tabpagenr('$'))->filter((_, tab) => first->index(tab) < 0)
enddef

# The first window that is wanted; 0 if there is none.
def Find(tabs: list<number>, IsWanted: func(number): bool): number
  for tab in tabs
    for win in Windows(tab)
      if IsWanted(win)
        return win
      endif
    endfor
  endfor
  return 0
enddef

def Shows(bufnr: number): func(number): bool
  return (win) => winbufnr(win) == bufnr && HoldsFiles(win)
enddef

# A new window in a new tabpage. Its buffer is empty, and disappears once the window shows another
# one.
def NewTabpage(): number
  silent tabnew
  setlocal bufhidden=wipe nobuflisted
  return win_getid()
enddef

def Area(win: number): number
  return winwidth(win) * winheight(win)
enddef

# Split above the largest window, or open a new tabpage if there is no room.
def Split(): number
  const largest = Windows(tabpagenr())->sort((a, b) => Area(b) - Area(a))[0]
  const here = win_getid()
  win_gotoid(largest)
  try
    silent aboveleft new
  catch /E36:/
    win_gotoid(here)
    return NewTabpage()
  endtry
  setlocal bufhidden=wipe nobuflisted
  return win_getid()
enddef

# Whether the focus may move to another window: the user is not typing, nor in the middle of a
# command.
export def IsUserFree(): bool
  return mode(1) =~# "^[vV\<C-v>]$" ? state('moax') ==# '' : moment.Obstacle() ==# ''
enddef

# The window that is to show a buffer and get the focus: one that already shows it if there is one,
# in any tabpage. A new one becomes the current one.
export def ToEnter(bufnr: number): number
  const order = Tabpages()
  const shown = Find(order, Shows(bufnr))
  const win = shown > 0 ? shown : Find(order[: 0], IsSuitable)
  if win > 0
    return win
  elseif Find(order[: 0], IsInDiff) == 0
    return Split()
  endif
  # A split in this tabpage would resize the diff.
  const elsewhere = Find(order, IsSuitable)
  return elsewhere > 0 ? elsewhere : NewTabpage()
enddef

# A window of the current tabpage that can show a buffer while the user keeps working in another
# one; 0 if there is none. While the command-line window is open, Vim refuses to change another one.
export def ToShow(bufnr: number): number
  if getcmdwintype() !=# ''
    return 0
  endif
  const here = win_getid()
  const tabs = [tabpagenr()]
  const shown = Find(tabs, Shows(bufnr))
  return shown > 0 ? shown : Find(tabs, (win) => win != here && IsSuitable(win))
enddef

defcompile
