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

# The lines that windows should have: one that shows another buffer now, and one that was split off one of
# ours, should have none of ours.
def Wanted(): dict<string>
  final wanted: dict<string> = {}
  const lines = values(bars)->mapnew((_, bar) => bar.line)
  for win in gettabinfo(tabpagenr())[0].windows + keys(bars)->mapnew((_, key) => str2nr(key))
    const is_ours = has_key(bars, win) && winbufnr(win) == bars[win].bufnr
    if winbufnr(win) >= 0 && (is_ours || index(lines, tiling.Option(win, 'statusline')) >= 0)
      wanted[win] = is_ours ? bars[win].line : ''
    endif
  endfor
  return wanted
enddef

def Keep()
  const wrong = Wanted()->filter((win, line) => tiling.Option(str2nr(win), 'statusline') !=# line)
  for [win, line] in items(wrong)
    Draw(str2nr(win), line)
  endfor
  filter(bars, (win, bar) => winbufnr(str2nr(win)) == bar.bufnr)
  if !empty(wrong)
    screen.DrawStatusLines()
  endif
  if empty(bars)
    augroup claude_ide_winbar
      autocmd!
    augroup END
    timer_stop(timer)
    timer = 0
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
  Keep()
enddef

defcompile
