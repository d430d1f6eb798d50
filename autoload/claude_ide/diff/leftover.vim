vim9script
# Removes the diffs that a session restores. It was saved while they were open; restored, a proposal
# is empty and nothing waits for it, but its tabpage and the options of the file's window are there.

import autoload './windows.vim' as diff_windows
import autoload '../messages/message.vim'
import autoload '../timing/moment.vim'
import autoload '../window/label.vim'
import autoload '../window/tiling.vim'

var is_waiting = false

# Give a file's window its options back: the user's own values are not in the session. If the diff
# seems to have made it, close its tabpage.
def Return(win: number)
  win_execute(win, diff_windows.OPTIONS->mapnew((_, name) => $'setlocal {name}<')->join(' | '))
  const tab = win_id2tabwin(win)[0]
  const is_elsewhere = winbufnr(win)->win_findbuf()
    ->indexof((_, other) => win_id2tabwin(other)[0] != tab) >= 0
  if tiling.Windows(tab) == [win] && is_elsewhere
    execute $'silent :{tab}tabclose'
  endif
enddef

def Clear()
  is_waiting = false
  # Not those that the user has filled since.
  const proposals = range(1, bufnr('$'))->filter((_, bufnr) => label.IsRestored(bufnr)
    && getbufline(bufnr, 1, 2)->join() ==# '')
  const tabs = proposals->mapnew((_, bufnr) => win_findbuf(bufnr))->flattennew()
    ->map((_, win) => win_id2tabwin(win)[0])
  # With "options" in 'sessionoptions' the windows of the files have the diff's status line, otherwise
  # folds at most.
  const borrowed = getwininfo()->filter((_, info) => {
    const Option = (name) => tiling.Option(info.winid, name)
    return Option('statusline') =~# '^%!claude_ide#diff#'
      || (index(tabs, info.tabnr) >= 0 && Option('foldmethod') ==# 'diff' && !Option('diff'))
  })
  for bufnr in proposals
    execute $'silent bwipeout! {bufnr}'
  endfor
  for info in borrowed
    Return(info.winid)
  endfor
  moment.Settle()
enddef

# Remove them once the session is restored. Vim announces that for each buffer. No diff of this Vim
# can be open: restoring a session has closed it.
export def ClearSoon()
  if !is_waiting && !label.IsInUse('claude-diff')
    is_waiting = true
    timer_start(0, (_) => moment.WhenPossible(Clear, (problem) => {
      is_waiting = false
      message.Show($'a diff of a restored session cannot be closed: {problem}', 'error')
    }))
  endif
enddef

defcompile
