vim9script
# The two windows of a diff: the file on the left (or above), the proposal on the right (below). Closing
# them takes the user back, and restores the tabpage where they were opened.

import autoload './decision.vim'
import autoload './virtual_text.vim'
import autoload './winbar.vim'
import autoload '../file/borrowed_buffer.vim'
import autoload '../file/buffers.vim'
import autoload '../window/inside.vim'
import autoload '../window/location.vim'
import autoload '../window/shape.vim'
import autoload '../window/tiling.vim'

const LEAST_WIDTH = 40
const SEARCHED = 10000 # lines
const LARGE = 100000 # bytes of a proposal
# `:diffthis` sets all of them but 'statusline', which is ours.
export const OPTIONS = ['statusline', 'diff', 'scrollbind', 'cursorbind', 'wrap', 'foldmethod',
  'foldcolumn', 'foldlevel', 'foldenable']
# How a window shows lines. Otherwise those of the two windows would not line up.
const LOOKS = ['breakindent', 'colorcolumn', 'conceallevel', 'concealcursor', 'cursorcolumn',
  'cursorline', 'linebreak', 'list', 'number', 'numberwidth', 'relativenumber', 'signcolumn']
# What a view has before its windows are open. `was_open` is whether the left one is the user's,
# `original` the buffer there, `unsaved` the file's own buffer if that is another one, `borrowed` the
# state of the left window before the diff.
const CLOSED = {left: 0, right: 0, was_open: false, original: 0, unsaved: 0, borrowed: {}}

final views: list<dict<any>> = []
# The user's options from before the first diff. `:diffthis` adds "hor" to 'scrollopt', and `:diffoff`
# removes that even if the user had set it; at 'laststatus' 0 the bars would not be shown.
var before: dict<any> = {}

def ChangeOptions()
  before = {scrollopt: &scrollopt, laststatus: &laststatus, diffopt: &diffopt, our_diffopt: &diffopt}
  if &laststatus == 0
    &laststatus = 1
  endif
enddef

# While a large diff is open, 'diffopt' has no "inline:char" and "inline:word", the first of which is the
# default since 9.2: they compare within lines for seconds there.
def LimitDiffopt(text: list<string>)
  const parts = split(&diffopt, ',')->filter((_, part) => part !~# '^inline:\%(char\|word\)$')
  if join(parts, ',') !=# &diffopt && reduce(text, (sum, line) => sum + len(line) + 1, 0) > LARGE
    before.diffopt = &diffopt
    &diffopt = join(parts, ',')
    before.our_diffopt = &diffopt
  endif
enddef

# What the user has set since stays.
def RestoreOptions()
  &scrollopt = before.scrollopt
  if before.laststatus == 0 && &laststatus == 1
    &laststatus = 0
  endif
  if &diffopt ==# before.our_diffopt && &diffopt !=# before.diffopt
    &diffopt = before.diffopt
  endif
enddef

# The commands that make the folds of the current window, taken from the script that `:mkview`
# writes. The rest of the script loads files, sets options and runs autocommands.
def FoldCommands(): list<string>
  const name = tempname()
  const viewoptions = &viewoptions
  &viewoptions = 'folds'
  try
    execute 'silent noautocmd mkview!' fnameescape(name)
  finally
    &viewoptions = viewoptions
  endtry
  const script = readfile(name)
  delete(name)
  const first = script->mapnew((index, line) => line =~# '^setlocal ' ? index : -1)->max()
  const last = script->indexof((_, line) => line =~# '^\%(let \)\?&g:so')
  # The level is an option that `GiveBack` sets. Newer Vims write Vim9 script, older ones legacy
  # script.
  return first >= last ? [] : script[first + 1 : last - 1]
    ->filter((_, line) => line !~# '^\%(let \)\?&fdl')
enddef

# Snapshot a window, for `GiveBack`.
def Borrow(win: number): dict<any>
  final options: dict<any> = {}
  for name in OPTIONS
    options[name] = tiling.Option(win, name)
  endfor
  # As the window has it: empty where the global one applies.
  options.statusline = win_execute(win, 'echon &l:statusline')
  return {win: win, bufnr: winbufnr(win), options: options}->extend(inside.Call(win, () => ({
    view: winsaveview(),
    folds: &foldmethod ==# 'manual' ? FoldCommands() : [],
  })))
enddef

# End diff mode in a window and restore its state; folds and view only if it shows the same buffer.
def GiveBack(window: dict<any>)
  const [tab, number] = win_id2tabwin(window.win)
  if tab == 0
    return
  endif
  win_execute(window.win, 'diffoff')
  for [name, value] in items(window.options)
    # Only those that differ: setting 'foldlevel', even to its own value, opens and closes folds.
    if string(tiling.Option(window.win, name)) !=# string(value)
      settabwinvar(tab, number, '&' .. name, value)
    endif
  endfor
  if winbufnr(window.win) == window.bufnr
    inside.Call(window.win, () => {
      for command in window.folds
        execute 'silent! keepjumps legacy ' .. command
      endfor
      winrestview(window.view)
      return true
    })
  endif
enddef

# The buffer to compare, if it is not the file on disk; else 0. The user may have unloaded it since
# the request.
def BufferOf(diff: dict<any>): number
  return get(diff, 'original', get(diff, 'is_unsaved', false) ? buffers.Loaded(diff.path) : 0)
enddef

# Show the text to compare in the current, left window, and snapshot that.
def ShowOriginal(view: dict<any>)
  view.left = win_getid()
  extend(view, borrowed_buffer.Borrow(view.diff.path, BufferOf(view.diff)))
  view.original = remove(view, 'bufnr')
  if view.unsaved > 0
    decision.SetFiletype(view.diff, view.unsaved)
  endif
  virtual_text.Hide(view.original)
  view.borrowed = Borrow(view.left)
enddef

# The windows of the tabpage, the current and the previous one first.
def Candidates(): list<number>
  return [win_getid(), win_getid(winnr('#') > 0 ? winnr('#') : winnr())]
    ->extend(tiling.Windows(tabpagenr()))
enddef

# A window of the tabpage that shows the buffer to compare; 0 if there is none, or if the buffer
# differs from the disk: then it is not the buffer that is compared.
def WindowOf(diff: dict<any>): number
  const own = BufferOf(diff)
  if own == 0 && borrowed_buffer.Unsaved(diff.path) > 0
    return 0
  endif
  const bufnr = own > 0 ? own : buffers.Loaded(diff.path)
  return bufnr == 0 ? 0 : Candidates()->filter((_, win) => winbufnr(win) == bufnr)->get(0, 0)
enddef

# Split the window of the file, else the first that holds a file.
def OpenSplit(view: dict<any>)
  const is_vertical = view.diff.layout ==# 'vertical'
  const own = WindowOf(view.diff)
  const files = Candidates()->filter((_, win) => getbufvar(winbufnr(win), '&buftype') ==# '')
  const base = own > 0 ? own : get(files, 0, win_getid())
  # Lines cannot be compared in narrower halves.
  if is_vertical && winwidth(base) < 2 * LEAST_WIDTH + 1
    throw 'claude-ide: not enough room'
  endif
  noautocmd win_gotoid(base)
  view.was_open = own > 0
  if own == 0
    execute 'noautocmd silent' (is_vertical ? 'aboveleft' : 'rightbelow vertical') 'new'
    setlocal bufhidden=wipe noswapfile
  endif
  ShowOriginal(view)
enddef

# Throws E565 or E11 before anything has happened if Vim allows no window now (`moment.When`).
def OpenTab(view: dict<any>)
  noautocmd silent tabnew
  setlocal bufhidden=wipe noswapfile
  settabvar(tabpagenr(), 'claude_ide_diff', view.diff.id)
  ShowOriginal(view)
enddef

def OpenRight(view: dict<any>)
  const direction = view.diff.layout ==# 'horizontal' ? '' : 'vertical'
  execute 'noautocmd silent rightbelow' direction 'sbuffer' view.diff.bufnr
  view.right = win_getid()
  decision.MatchFile(view.diff, view.unsaved > 0 ? view.unsaved : view.original)
  for name in LOOKS
    const value = getwinvar(view.left, '&' .. name)
    if string(getwinvar(view.right, '&' .. name)) !=# string(value)
      setwinvar(view.right, '&' .. name, value)
    endif
  endfor
enddef

# Go to the first line of the current window that differs. Not by `:normal ]c`: after `:normal` in a
# callback Vim calls itself unsafe (an "S" in `state()`) until the user types.
def GoToChange()
  for lnum in range(1, min([line('$'), SEARCHED]))
    if diff_hlID(lnum, 1) != 0 || diff_filler(lnum) != 0
      cursor(lnum, 1)
      return
    endif
  endfor
enddef

# In a tabpage of its own, or in splits of the current one. A second diff in diff mode would mix with
# the first.
def OpenWindows(view: dict<any>)
  const has_diff = tiling.Windows(tabpagenr())->indexof((_, win) => getwinvar(win, '&diff')) >= 0
  var is_split = index(['vertical', 'horizontal'], view.diff.layout) >= 0 && !has_diff
  if is_split
    try
      OpenSplit(view)
      OpenRight(view)
    catch /^claude-ide:\|E36:\|E1159:/
      # No room: fall back to a tabpage.
      CloseLeft(view)
      is_split = false
    endtry
  endif
  if !is_split
    OpenTab(view)
    OpenRight(view)
  endif
  win_execute(view.left, 'diffthis')
  diffthis
  GoToChange()
  # CTRL-O out of the proposal would reject it.
  clearjumps
enddef

# The empty, newer buffer that `:enew` puts into the window of a proposal; 0 if there is none.
def BlankBuffer(view: dict<any>): number
  const bufnr = winbufnr(view.right)
  const is_blank = bufnr > view.diff.bufnr && bufname(bufnr) ==# ''
    && getbufvar(bufnr, '&buftype') ==# '' && !getbufvar(bufnr, '&modified')
    && len(win_findbuf(bufnr)) == 1
  return is_blank ? bufnr : 0
enddef

# Whether a window belongs to a diff. `CTRL-^`, or a plugin's `:bdelete`, shows the file in the window
# of its proposal.
export def Has(view: dict<any>, win: number): bool
  const bufnr = winbufnr(win)
  return win == view.left || bufnr == view.diff.bufnr || (win == view.right && bufnr > 0
    && index([view.original, view.unsaved, BlankBuffer(view)], bufnr) >= 0)
enddef

# Whether the user is in a diff. If they have put another buffer into the proposal's window, they
# are not.
export def HasUser(view: dict<any>): bool
  return Has(view, win_getid())
enddef

# Close a window, in whatever tabpage, without taking the user there. Vim's last window gets an
# empty buffer instead.
def CloseWindow(win: number)
  const [tab, number] = win_id2tabwin(win)
  if tab == 0
    return
  elseif tabpagewinnr(tab, '$') > 1
    win_execute(win, 'silent! noautocmd close!')
  elseif tabpagenr('$') > 1
    execute $'silent! noautocmd :{tab}tabclose!'
  else
    noautocmd silent! enew
  endif
enddef

def CloseLeft(view: dict<any>)
  if !empty(view.borrowed)
    # Even for a window of ours: the buffer's next window inherits the options of its last one.
    GiveBack(view.borrowed)
  endif
  if view.left > 0 && !view.was_open
    CloseWindow(view.left)
  endif
  if view.original > 0
    virtual_text.Show(view.original)
    borrowed_buffer.GiveBack(view.original)
  endif
  extend(view, CLOSED)
enddef

# Close the windows that were opened, and wipe out the proposal.
def CloseWindows(view: dict<any>)
  const [right, bufnr, blank] = [view.right, view.diff.bufnr, BlankBuffer(view)]
  const is_ours = tiling.Has(right) && winbufnr(right) != bufnr && Has(view, right)
  if tiling.Has(right)
    win_execute(right, 'diffoff')
  endif
  if bufexists(bufnr)
    execute 'silent! bwipeout!' bufnr
  endif
  if is_ours
    CloseWindow(right)
  endif
  if blank > 0 && bufexists(blank)
    execute 'silent! noautocmd bwipeout!' blank
  endif
  CloseLeft(view)
enddef

# The number of the tabpage that was opened for a diff; 0 if there is none.
def OwnTab(view: dict<any>): number
  return range(1, tabpagenr('$'))
    ->indexof((_, tab) => gettabvar(tab, 'claude_ide_diff', 0) == view.diff.id) + 1
enddef

# Whether the user works in a tabpage, apart from the diff. File trees, lists and outlines do not count.
def HasWork(tab: number, view: dict<any>): bool
  return tiling.Windows(tab)->indexof((_, win) => {
    const Option = (name) => getbufvar(winbufnr(win), name)
    return !Has(view, win)
      && (index(['', 'terminal', 'help'], Option('&buftype')) >= 0 || Option('&modified'))
  }) >= 0
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
    # Before the shape of the tabpage is recorded: status lines take room.
    ChangeOptions()
  endif
  final view = {diff: diff, place: location.Current(), shape: shape.Hold(), had_user: false}
    ->extend(CLOSED)
  add(views, view)
  augroup claude_ide_diff_exit
    # A buffer that is closed has to trigger its own autocommands.
    autocmd! BufWinLeave * ++nested CloseAtExit()
  augroup END
  try
    LimitDiffopt(diff.text)
    OpenWindows(view)
    winbar.Set(view)
  catch
    # Before Close(): that may change v:exception. Vim's own errors cannot be thrown again.
    const failure = 'claude-ide: ' .. v:exception
    Close(view)
    throw failure
  endtry
  if OwnTab(view) == 0
    shape.Settle(view.shape)
  endif
  if !diff.focus
    location.GoBack(view.place)
  endif
  return view
enddef

# Close a diff's windows. A user who is in the diff, or was there when they decided, is taken back; not
# if they have put another buffer into the proposal's window. If there is at most a sidebar beside the
# diff in its own tabpage, that closes, too.
export def Close(view: dict<any>)
  const index = views->indexof((_, other) => other is view)
  if index < 0
    return
  endif
  remove(views, index)
  # A diff that was opened over this one inherits its way back and its shape.
  for other in copy(views)->filter((_, each) => Has(view, each.place.win))
    other.place = view.place
    other.shape = view.shape
  endfor
  shape.Check(view.shape)
  const tab = OwnTab(view)
  const is_theirs = HasUser(view) || (view.had_user && win_getid() != view.right)
    || (tab == tabpagenr() && !HasWork(tab, view))
  const is_back = is_theirs && location.GoBack(view.place)
  winbar.Release(view)
  CloseWindows(view)
  const own = OwnTab(view)
  if own > 0 && own != tabpagenr() && !HasWork(own, view)
    execute $'silent! :{own}tabclose!'
  elseif own > 0
    settabvar(own, 'claude_ide_diff', 0)
  endif
  if is_back
    # Closing the windows may have changed what `CTRL-W p` leads to.
    location.GoBack(view.place)
  endif
  shape.Restore(view.shape)
  if empty(views)
    autocmd! claude_ide_diff_exit
    RestoreOptions()
  endif
enddef

defcompile
