vim9script
# The status lines of the plugin's windows: Vim has no window bars. vim-airline, lightline.vim and
# others set the status lines of all windows as the user enters one, or when a linter or git answers;
# ours are then set again.

import autoload './tiling.vim'
import autoload '../messages/screen.vim'

const PERIOD = 300 # milliseconds: no event follows when a callback has set a status line

final bars: dict<dict<any>> = {} # {bufnr, line} by window: a bar is meant for this buffer only
var timer = 0

def Draw(win: number, line: string)
  const [tab, number] = win_id2tabwin(win)
  settabwinvar(tab, number, '&statusline', line)
enddef

# Forget windows that are closed or show another buffer.
def DropLeft()
  for [key, bar] in items(bars)
    const win = str2nr(key)
    if winbufnr(win) != bar.bufnr
      remove(bars, key)
    endif
    if index([-1, bar.bufnr], winbufnr(win)) < 0 && tiling.Option(win, 'statusline') ==# bar.line
      Draw(win, '')
    endif
  endfor
  if empty(bars)
    augroup claude_ide_winbar
      autocmd!
    augroup END
    timer_stop(timer)
    timer = 0
  endif
enddef

def Replaced(): list<number>
  return keys(bars)->mapnew((_, win) => str2nr(win))
    ->filter((_, win) => tiling.Option(win, 'statusline') !=# bars[win].line)
enddef

# The windows that were split off one of ours: each has its status line, but shows something else.
def Copies(): list<number>
  const lines = values(bars)->mapnew((_, bar) => bar.line)
  return gettabinfo(tabpagenr())[0].windows
    ->filter((_, win) => !has_key(bars, win) && index(lines, tiling.Option(win, 'statusline')) >= 0)
enddef

def Keep()
  DropLeft()
  const replaced = Replaced()
  for win in replaced
    Draw(win, bars[win].line)
  endfor
  const copies = Copies()
  for win in copies
    Draw(win, '')
  endfor
  if !empty(replaced) || !empty(copies)
    screen.DrawStatusLines()
  endif
enddef

# Set the status line of a window, for as long as it shows its current buffer.
export def Set(win: number, line: string)
  bars[win] = {bufnr: winbufnr(win), line: line}
  Draw(win, line)
  augroup claude_ide_winbar
    autocmd! SafeState * Keep()
  augroup END
  if timer == 0
    timer = timer_start(PERIOD, (_) => Keep(), {repeat: -1})
  endif
enddef

# Leave the status line of a window to the user and their plugins again.
export def Release(win: number)
  if has_key(bars, win)
    remove(bars, win)
  endif
  DropLeft()
enddef

defcompile
