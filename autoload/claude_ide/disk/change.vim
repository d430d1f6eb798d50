vim9script
# Reacts to a change on disk, which the host has noticed: the buffer is updated, or a message says
# why not. Also tells the host which files to watch (`disk_watch.py`).

import autoload '../channel.vim'
import autoload '../file/changed.vim'
import autoload '../file/path.vim' as file
import autoload '../file/write.vim' as file_write
import autoload '../say/message.vim'
import autoload '../say/reason.vim'
import autoload '../when/moment.vim'
import autoload './expected.vim'
import autoload './held.vim'
import autoload './reload.vim'
import autoload './report.vim'

# Milliseconds.
const RETRY = 50
const RECENT = 1000
const FIRST_REST = 100
const LONGEST_REST = 10000
const SLICE = 20
const SHARE = 10 # a buffer rests this many times as long as its update took

var is_on = false
var waiting: dict<bool> = {} # buffers to check
var is_checking = false
var rests: dict<dict<number>> = {} # by buffer: the `length` of its rest, and when it `ends`
var unreported: dict<bool> = {} # buffers that the host does not know, or should forget

def CheckSoon(bufnr: number, delay: number)
  timer_start(delay, (_) => ChangedIn([bufnr]))
enddef

# The more often a file is written, the less often its buffer is updated.
def Rest(bufnr: number, spent: number)
  const now = expected.Now()
  const last = get(rests, bufnr, {length: 0, ends: -RECENT})
  const is_again = now - last.ends < RECENT + last.length
  const length = max([is_again ? max([last.length * 2, FIRST_REST]) : 0, spent * SHARE])
  const limited = min([length, LONGEST_REST])
  rests[bufnr] = {length: limited, ends: now + limited}
enddef

# Only for the autocommands: once the user has undone their changes, the buffer can be updated.
export def CheckUnmodified(bufnr: number)
  if !file_write.IsInConflict(bufnr)
    execute $'autocmd! claude_ide_unmodified * <buffer={bufnr}>'
  elseif !getbufvar(bufnr, '&modified')
    execute $'autocmd! claude_ide_unmodified * <buffer={bufnr}>'
    CheckSoon(bufnr, 0)
  endif
enddef

# Vim has no event for 'modified'.
def CheckWhenUnmodified(bufnr: number)
  augroup claude_ide_unmodified
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd TextChanged,InsertLeave,BufEnter,CursorHold <buffer={bufnr}>'
      .. $' claude_ide#disk#change#CheckUnmodified({bufnr})'
  augroup END
enddef

def Keep(bufnr: number)
  if file_write.NoticeConflict(bufnr)
    report.Kept(file.Name(bufnr))
  endif
  CheckWhenUnmodified(bufnr)
enddef

def Follow(bufnr: number)
  reload.Notice(bufnr, (spent) => {
    Rest(bufnr, spent)
    if bufloaded(bufnr) && getbufvar(bufnr, '&modified')
      CheckWhenUnmodified(bufnr)
    endif
    ChangedIn([bufnr])
  })
enddef

def Check(bufnr: number): bool
  const remaining = get(rests, bufnr, {ends: 0}).ends - expected.Now()
  if held.Path(bufnr) ==# '' || reload.IsExpected(bufnr)
    return false
  elseif !moment.IsTextFree()
    CheckSoon(bufnr, RETRY)
  elseif remaining > 0
    CheckSoon(bufnr, remaining)
  elseif !reload.IsFollowed(bufnr)
    return false
  elseif getbufvar(bufnr, '&modified')
    Keep(bufnr)
  else
    Follow(bufnr)
  endif
  return true
enddef

def CheckAll(_: number)
  const began = expected.Now()
  while is_on && !empty(waiting) && expected.Now() - began < SLICE
    const bufnr = str2nr(keys(waiting)[0])
    waiting->remove(bufnr)
    const checked = reason.Attempt(Check, [bufnr])
    if !checked[0]
      message.Show(checked[1], 'error')
    endif
  endwhile
  is_checking = !empty(waiting)
  if is_checking
    timer_start(1, CheckAll)
  endif
enddef

# Check buffers soon: their files may have changed. The host calls this.
export def ChangedIn(bufnrs: list<number>): bool
  if !is_on
    return true
  endif
  for bufnr in bufnrs
    waiting[bufnr] = true
  endfor
  if !is_checking && !empty(waiting)
    is_checking = true
    timer_start(0, CheckAll)
  endif
  return true
enddef

# Vim has found the change first, for example because it got the focus.
def TakesOver(bufnr: number): bool
  const is_ours = held.Path(bufnr) !=# '' && reload.IsFollowed(bufnr)
    && !reload.IsTooLarge(bufnr)
  if is_ours
    ChangedIn([bufnr])
  endif
  return is_ours
enddef

# Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
# unsaved changes to an earlier text.
export def IsBehind(bufnr: number): bool
  return file_write.IsInConflict(bufnr) || reload.HasChanged(bufnr)
enddef

# Tell the host of the buffers that have been loaded, renamed or unloaded in the meantime.
def ReportFiles(_: number)
  var files: list<dict<any>> = []
  for bufnr in keys(unreported)->mapnew((_, key) => str2nr(key))
    files->add({bufnr: bufnr, path: held.Path(bufnr)})
  endfor
  unreported = {}
  if is_on && !empty(files)
    channel.Emit('files_loaded', {files: files})
  endif
enddef

def ReportSoon(bufnr: number)
  if empty(unreported)
    timer_start(0, ReportFiles)
  endif
  unreported[bufnr] = true
enddef

# Update buffers after writes to their files, or stop.
export def Watch(on: bool)
  if on == is_on
    return
  endif
  is_on = on
  waiting = {}
  rests = {}
  changed.Watch(on, TakesOver)
  augroup claude_ide_disk_change
    autocmd!
    if on
      autocmd BufReadPost,BufNewFile,BufFilePost,BufUnload * ReportSoon(str2nr(expand('<abuf>')))
    endif
  augroup END
  for bufnr in on ? held.All() : []
    ReportSoon(bufnr)
  endfor
  if !on
    channel.Emit('files_unwatched', {})
  endif
enddef

defcompile
