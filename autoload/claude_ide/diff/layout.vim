vim9script
# A diff as a visit: shown, and closed without a trace. Closing it takes the user back, and restores
# the tabpage where it was opened.

import autoload './winbar.vim'
import autoload './windows.vim' as diff_windows
import autoload '../window/location.vim'
import autoload '../window/shape.vim'

const LARGE = 100000 # bytes of the proposal

final views: list<dict<any>> = []
# The user's 'scrollopt', from before the first diff: `:diffthis` adds "hor" to it, and `:diffoff`
# removes that even if the user had set it.
var scrollopt = ''
# The user's 'laststatus'. At 0, the bars would not be shown.
var laststatus = 0

var large_diffs = 0 # on the screen
var user_diffopt = ''
var our_diffopt = ''

def Size(text: list<string>): number
  return reduce(text, (sum, line) => sum + len(line) + 1, 0)
enddef

# A diff with this text opens. Returns whether it is a large one, for `RestoreDiffopt`. While one is open,
# 'diffopt' has no "inline:char" and "inline:word", the first of which is the default since 9.2: they compare
# within lines for seconds there.
def LimitDiffopt(text: list<string>): bool
  if Size(text) <= LARGE
    return false
  endif
  large_diffs += 1
  if large_diffs == 1
    user_diffopt = &diffopt
    const parts = split(&diffopt, ',')->filter((_, part) => part !~# '^inline:\%(char\|word\)$')
    if join(parts, ',') !=# &diffopt
      &diffopt = join(parts, ',')
    endif
    our_diffopt = &diffopt
  endif
  return true
enddef

# A large diff has closed. After the last one the user's value is restored, unless they have set
# another one since.
def RestoreDiffopt()
  large_diffs -= 1
  if large_diffs == 0 && &diffopt ==# our_diffopt && user_diffopt !=# our_diffopt
    &diffopt = user_diffopt
  endif
enddef

# Whether a window belongs to a diff.
export def HasWindow(view: dict<any>, win: number): bool
  return diff_windows.Has(view.windows, view.bufnr, win)
enddef

# Whether the user is in a diff. If they have put another buffer into the proposal's window, they
# are not.
export def HasUser(view: dict<any>): bool
  return HasWindow(view, win_getid())
enddef

# The number of the tabpage that was opened for a diff; 0 if there is none.
def OwnTab(view: dict<any>): number
  return range(1, tabpagenr('$'))->copy()
    ->filter((_, tab) => gettabvar(tab, 'claude_ide_diff', 0) == view.diff.id)->get(0, 0)
enddef

def OpenWindows(view: dict<any>)
  view.is_large = LimitDiffopt(view.diff.text)
  diff_windows.Open(view.windows, view.diff)
  winbar.Set(view.diff, view.windows)
  if OwnTab(view) == 0
    shape.Settle(view.shape)
  endif
enddef

# Before the shape of the tabpage is recorded: status lines take room.
def ChangeOptions()
  scrollopt = &scrollopt
  laststatus = &laststatus
  if laststatus == 0
    &laststatus = 1
  endif
enddef

def RestoreOptions()
  &scrollopt = scrollopt
  if laststatus == 0 && &laststatus == 1
    &laststatus = 0
  endif
enddef

# Once Vim is certain to exit, close all before VimLeavePre: there, session managers record the windows.
def CloseAtExit()
  if type(v:exiting) != v:t_none
    for view in copy(views)
      Close(view)
    endfor
  endif
enddef

# Show the proposal `diff.bufnr`, and focus it if `diff.focus`. Throws if it cannot be shown; then
# no window remains.
export def Open(diff: dict<any>): dict<any>
  if empty(views)
    ChangeOptions()
  endif
  final view = {
    diff: diff,
    bufnr: diff.bufnr,
    windows: {},
    place: location.Current(),
    shape: shape.Hold(),
    had_user: false,
    is_large: false,
  }
  add(views, view)
  augroup claude_ide_diff_exit
    # A buffer that is closed has to trigger its own autocommands.
    autocmd! BufWinLeave * ++nested CloseAtExit()
  augroup END
  try
    OpenWindows(view)
  catch
    # Before Close(): that may change v:exception. Vim's own errors cannot be thrown again.
    const failure = 'claude-ide: ' .. v:exception
    Close(view)
    throw failure
  endtry
  if !diff.focus
    location.GoBack(view.place)
  endif
  return view
enddef

# A diff that was opened over this one inherits its way back and its shape.
def Bequeath(view: dict<any>)
  for other in views
    if HasWindow(view, other.place.win)
      other.place = view.place
      other.shape = view.shape
    endif
  endfor
enddef

def IsWork(win: number): bool
  const buftype = getbufvar(winbufnr(win), '&buftype')
  return index(['', 'terminal', 'help'], buftype) >= 0 || getbufvar(winbufnr(win), '&modified')
enddef

# Whether the user is in the diff's own tabpage, with at most a sidebar beside the diff. Then the
# tabpage closes with the diff.
def IsAlone(view: dict<any>): bool
  return OwnTab(view) == tabpagenr() && gettabinfo(tabpagenr())[0].windows
    ->indexof((_, win) => IsWork(win) && !HasWindow(view, win)) < 0
enddef

def HasWork(tab: number): bool
  return gettabinfo(tab)[0].windows->indexof((_, win) => IsWork(win)) >= 0
enddef

# Close a tabpage that has only sidebars, unless it is the current one.
def CloseDeserted(tab: number)
  if tab > 0 && tab != tabpagenr() && !HasWork(tab)
    execute $'silent! :{tab}tabclose!'
  elseif tab > 0
    settabvar(tab, 'claude_ide_diff', 0)
  endif
enddef

# Whether the user is in the diff, or was there when they decided; not if they have put another
# buffer into the proposal's window.
def IsUsersPlace(view: dict<any>): bool
  return HasUser(view) || (view.had_user && win_getid() != get(view.windows, 'right', 0))
enddef

# Close a diff's windows. Returns whether the user was in it, and has been taken back.
export def Close(view: dict<any>): bool
  const index = views->indexof((_, other) => other is view)
  if index < 0
    return false
  endif
  remove(views, index)
  Bequeath(view)
  shape.Check(view.shape)
  const is_back = (IsUsersPlace(view) || IsAlone(view)) && location.GoBack(view.place)
  winbar.Release(view.windows)
  diff_windows.Close(view.windows, view.bufnr)
  CloseDeserted(OwnTab(view))
  if is_back
    # Closing the windows may have changed what `CTRL-W p` leads to.
    location.GoBack(view.place)
  endif
  shape.Restore(view.shape)
  if view.is_large
    RestoreDiffopt()
  endif
  if empty(views)
    autocmd! claude_ide_diff_exit
    RestoreOptions()
  endif
  return is_back
enddef

defcompile
