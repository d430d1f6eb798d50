vim9script
# The two windows of a diff: the file on the left (or above), the proposal on the right (below); and
# the state of a window before a diff uses it.

import autoload './decision.vim'
import autoload './virtual_text.vim'
import autoload '../file/borrowed_buffer.vim'
import autoload '../file/buffers.vim'
import autoload '../window/tiling.vim'

const LEAST_WIDTH = 40
const SEARCHED = 10000 # lines
# `:diffthis` sets all of them but 'statusline', which is ours.
export const OPTIONS = ['statusline', 'diff', 'scrollbind', 'cursorbind', 'wrap', 'foldmethod',
  'foldcolumn', 'foldlevel', 'foldenable']
# How a window shows lines. Otherwise those of the two windows would not line up.
const LOOKS = ['breakindent', 'colorcolumn', 'conceallevel', 'concealcursor', 'cursorcolumn',
  'cursorline', 'linebreak', 'list', 'number', 'numberwidth', 'relativenumber', 'signcolumn']

# What `Note` has read, for the caller of `win_execute()`.
var noted: dict<any> = {}

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
  const settings = script->mapnew((index, line) => line =~# '^setlocal ' ? index : -1)
  const first = max(settings)
  const last = script->indexof((_, line) => line =~# '^\%(let \)\?&g:so')
  # The level is an option that `GiveBack` sets. Newer Vims write Vim9 script, older ones legacy
  # script.
  return first >= last ? [] : script[first + 1 : last - 1]
    ->filter((_, line) => line !~# '^\%(let \)\?&fdl')
enddef

# Called in a window.
export def Note()
  noted = {view: winsaveview(), folds: &foldmethod ==# 'manual' ? FoldCommands() : []}
enddef

# Snapshot a window, for `GiveBack`.
def Borrow(win: number): dict<any>
  final options: dict<any> = {}
  for name in OPTIONS
    options[name] = tiling.Option(win, name)
  endfor
  # As the window has it: empty where the global one applies.
  options.statusline = win_execute(win, 'echon &l:statusline')
  win_execute(win, 'call claude_ide#diff#windows#Note()')
  return {win: win, bufnr: winbufnr(win), options: options, view: noted.view, folds: noted.folds}
enddef

# Called in a window.
export def Unfold(folds: list<string>, view: dict<any>)
  for command in folds
    execute 'silent! keepjumps legacy ' .. command
  endfor
  winrestview(view)
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
    win_execute(window.win, printf('call claude_ide#diff#windows#Unfold(%s, %s)',
      string(window.folds), string(window.view)))
  endif
enddef

# The buffer to compare, if it is not the file on disk; else 0. The user may have unloaded it since
# the request.
def BufferOf(diff: dict<any>): number
  if has_key(diff, 'original')
    return diff.original
  endif
  return get(diff, 'is_unsaved', false) ? buffers.Loaded(diff.path) : 0
enddef

# Show the text to compare in the current, left window, and snapshot that.
def ShowOriginal(windows: dict<any>, diff: dict<any>)
  const shown = borrowed_buffer.Borrow(diff.path, BufferOf(diff))
  windows.original = shown.bufnr
  windows.unsaved = shown.unsaved
  if shown.unsaved > 0
    decision.SetFiletype(diff, shown.unsaved)
  endif
  virtual_text.Hide(shown.bufnr)
  windows.borrowed = Borrow(windows.left)
enddef

# The windows of the tabpage, the current and the previous one first.
def Candidates(): list<number>
  return [win_getid(), win_getid(winnr('#') > 0 ? winnr('#') : winnr())]
    ->extend(gettabinfo(tabpagenr())[0].windows)
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

# The window to split: the first that holds a file.
def BaseWindow(): number
  const files = Candidates()->filter((_, win) => getbufvar(winbufnr(win), '&buftype') ==# '')
  return get(files, 0, win_getid())
enddef

# Whether a window of the tabpage is in diff mode. That compares all of them: a second diff there
# would mix with the first.
def HasDiff(): bool
  return gettabinfo(tabpagenr())[0].windows->indexof((_, win) => getwinvar(win, '&diff')) >= 0
enddef

def OpenSplit(windows: dict<any>, diff: dict<any>)
  const own = WindowOf(diff)
  const base = own > 0 ? own : BaseWindow()
  # Lines cannot be compared in narrower halves.
  if diff.layout ==# 'vertical' && winwidth(base) < 2 * LEAST_WIDTH + 1
    throw 'claude-ide: not enough room'
  endif
  noautocmd win_gotoid(base)
  windows.was_open = own > 0
  if own == 0
    const direction = diff.layout ==# 'vertical' ? 'aboveleft' : 'rightbelow vertical'
    execute 'noautocmd silent' direction 'new'
    setlocal bufhidden=wipe noswapfile
  endif
  windows.left = win_getid()
  ShowOriginal(windows, diff)
enddef

# Throws E565 or E11 before anything has happened if Vim allows no window now (`moment.When`).
def OpenTab(windows: dict<any>, diff: dict<any>)
  noautocmd silent tabnew
  setlocal bufhidden=wipe noswapfile
  windows.left = win_getid()
  windows.was_open = false
  settabvar(tabpagenr(), 'claude_ide_diff', diff.id)
  ShowOriginal(windows, diff)
enddef

def OpenRight(windows: dict<any>, diff: dict<any>)
  const direction = diff.layout ==# 'horizontal' ? '' : 'vertical'
  execute 'noautocmd silent rightbelow' direction 'sbuffer' diff.bufnr
  windows.right = win_getid()
  decision.MatchFile(diff, windows.unsaved > 0 ? windows.unsaved : windows.original)
  for name in LOOKS
    const value = getwinvar(windows.left, '&' .. name)
    if string(getwinvar(windows.right, '&' .. name)) !=# string(value)
      setwinvar(windows.right, '&' .. name, value)
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

def Compare(windows: dict<any>)
  win_execute(windows.left, 'diffthis')
  diffthis
  GoToChange()
  # CTRL-O out of the proposal would reject it.
  clearjumps
enddef

# Show a diff, in its own tabpage or in splits of the current one. `windows` is filled in step by
# step, so that an error in between leaves a record of the windows to close.
export def Open(windows: dict<any>, diff: dict<any>)
  var is_split = index(['vertical', 'horizontal'], diff.layout) >= 0 && !HasDiff()
  if is_split
    try
      OpenSplit(windows, diff)
      OpenRight(windows, diff)
    catch /^claude-ide:\|E36:\|E1159:/
      # No room: fall back to a tabpage.
      CloseLeft(windows)
      is_split = false
    endtry
  endif
  if !is_split
    OpenTab(windows, diff)
    OpenRight(windows, diff)
  endif
  Compare(windows)
enddef

# The empty, newer buffer that `:enew` puts into the window of a proposal; 0 if there is none.
def BlankBuffer(win: number, proposed: number): number
  const bufnr = tiling.Has(win) ? winbufnr(win) : 0
  const is_blank = bufnr > proposed && bufname(bufnr) ==# '' && getbufvar(bufnr, '&buftype') ==# ''
    && !getbufvar(bufnr, '&modified') && len(win_findbuf(bufnr)) == 1
  return is_blank ? bufnr : 0
enddef

# `CTRL-^`, or a plugin's `:bdelete`, shows the file in the window of its proposal.
def ShowsOriginal(windows: dict<any>): bool
  const bufnr = tiling.Has(get(windows, 'right', 0)) ? winbufnr(windows.right) : 0
  return bufnr > 0 && (bufnr == windows.original || bufnr == windows.unsaved)
enddef

# Whether a window belongs to the diff of this proposal.
export def Has(windows: dict<any>, bufnr: number, win: number): bool
  return win == get(windows, 'left', 0) || winbufnr(win) == bufnr
    || (win == get(windows, 'right', 0) && (BlankBuffer(win, bufnr) > 0 || ShowsOriginal(windows)))
enddef

# Close a window, in whatever tabpage, without taking the user there. Vim's last window gets an
# empty buffer instead.
def CloseWindow(win: number)
  const [tab, number] = win_id2tabwin(win)
  if tab == 0
    return
  elseif tabpagewinnr(tab, '$') > 1 && tab == tabpagenr()
    execute $'silent! noautocmd :{number}close!'
  elseif tabpagewinnr(tab, '$') > 1
    const here = win_getid()
    noautocmd win_gotoid(win)
    silent! noautocmd close!
    noautocmd win_gotoid(here)
  elseif tabpagenr('$') > 1
    execute $'silent! noautocmd :{tab}tabclose!'
  else
    noautocmd silent! enew
  endif
enddef

def CloseLeft(windows: dict<any>)
  if has_key(windows, 'borrowed')
    # Even for a window of ours: the buffer's next window inherits the options of its last one.
    GiveBack(windows.borrowed)
  endif
  if has_key(windows, 'left') && !windows.was_open
    CloseWindow(windows.left)
  endif
  if has_key(windows, 'original')
    virtual_text.Show(windows.original)
    borrowed_buffer.GiveBack(windows.original)
  endif
  for name in keys(windows)
    remove(windows, name)
  endfor
enddef

# Close the windows that were opened, and wipe out the proposal.
export def Close(windows: dict<any>, bufnr: number)
  const right = get(windows, 'right', 0)
  if tiling.Has(right)
    win_execute(right, 'diffoff')
  endif
  const is_ours = tiling.Has(right) && winbufnr(right) != bufnr && Has(windows, bufnr, right)
  const blank = BlankBuffer(right, bufnr)
  if bufexists(bufnr)
    execute 'silent! bwipeout!' bufnr
  endif
  if is_ours
    CloseWindow(right)
  endif
  if blank > 0 && bufexists(blank)
    execute 'silent! noautocmd bwipeout!' blank
  endif
  CloseLeft(windows)
enddef

defcompile
