vim9script
# Reports whether the user is in Vim, and at which windows of agents; and calls them. The host decides when
# (`editor/attention.py`).

import autoload './channel.vim'
import autoload './messages/message.vim'

var is_focused = true
var is_due = false
var last: dict<any> = {}

# The place of a window, which is none of an agent's if it is empty.
def PlaceOf(win: number): string
  const launch: string = getbufvar(winbufnr(win), 'claude_ide_launch', '')
  const diff: number = exists('*claude_ide#diff#InWindow') ? claude_ide#diff#InWindow(win) : 0
  return launch !=# '' ? launch : diff > 0 ? $'diff.{diff}' : ''
enddef

def ReportNow(_: number)
  is_due = false
  const shown = gettabinfo(tabpagenr())[0].windows
    ->mapnew((_, win) => PlaceOf(win))->filter((_, place) => place !=# '')
  const now = {is_focused: is_focused, here: PlaceOf(win_getid()), shown: shown}
  if now != last
    last = now
    channel.Emit('looked', now)
  endif
enddef

# Not at once: what a window shows is known when all that opens it has run. Only for the autocommands.
export def Report()
  if !is_due
    is_due = true
    timer_start(0, ReportNow)
  endif
enddef

# Only for the autocommands.
export def Focus(on: bool)
  is_focused = on
  Report()
enddef

# A host has started, which knows nothing yet.
export def Watch()
  last = {}
  augroup claude_ide_attention
    autocmd!
    autocmd BufEnter,BufWinEnter,TabEnter,WinClosed,WinEnter * Report()
    # Its windows open without events.
    autocmd User ClaudeDiffOpened,ClaudeDiffClosed Report()
    autocmd FocusGained * Focus(true)
    autocmd FocusLost * Focus(false)
  augroup END
  Report()
enddef

# Called by the host: show one line, and write `ring`, unless it is empty, to the terminal, which then notifies
# the user.
export def Call(text: string, ring: string): bool
  message.Show(text, 'info')
  if ring !=# ''
    echoraw(ring)
  endif
  return true
enddef

defcompile
