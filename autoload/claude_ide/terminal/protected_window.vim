vim9script
# Windows in which the terminal of a CLI stays: a file that is opened in one moves to a window for files.

import autoload '../file/open.vim' as open_files
import autoload '../file/load.vim'
import autoload '../messages/message.vim'
import autoload '../timing/moment.vim'
import autoload './register.vim'

var kept: dict<number> = {} # by window: the buffer of its terminal

# Keep the terminal that the current window shows in it.
export def Keep()
  kept[win_getid()] = bufnr()
  augroup claude_ide_protected_window
    autocmd!
    autocmd BufEnter,BufWinEnter * Arrived(win_getid())
  augroup END
enddef

# The window is about to show something else.
export def Release(win: number)
  if has_key(kept, win)
    kept->remove(string(win))
  endif
enddef

# Whether a window has to show its terminal again. Another terminal of a CLI may stay in it.
def IsLost(win: number): bool
  const shown = winbufnr(win)
  if shown < 0 || empty(register.Of(get(kept, win, 0)))
    Release(win)
  elseif !empty(register.Of(shown))
    kept[win] = shown
  endif
  return has_key(kept, win) && kept[win] != shown
enddef

def Arrived(win: number)
  if has_key(kept, win) && IsLost(win)
    # The command that opens a buffer moves the cursor afterwards.
    moment.WhenPossible(() => SendAway(win), (reason) => {
      message.Show($'the terminal cannot leave its window: {reason}', 'error')
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

defcompile
