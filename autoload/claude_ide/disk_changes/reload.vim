vim9script
# Updates buffers after Claude or another program has written their files, without asking the user.

import autoload '../file/buffers.vim'
import autoload '../file/changed.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/rebase.vim'
import autoload '../file/stamp.vim'
import autoload '../file/write.vim' as file_write
import autoload '../file/written.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'
import autoload './announced.vim'
import autoload '../file/autoread.vim'
import autoload './expected.vim'
import autoload './report.vim'

# Milliseconds.
const POLL = 25
const SETTLED = 50 # without a change; before, the buffer might get half a file
const SETTLED_EMPTY = 500
const PATIENCE = 10000

const LARGEST = 64 * 1024 * 1024 # bytes; reading more would block Vim for seconds

var is_polling = false
var rereading: dict<bool> = {} # buffers whose file is about to be read again

# Whether a buffer is updated after a write that was not announced: always if the write is Claude's,
# otherwise unless 'autoread' is switched off.
export def IsFollowed(bufnr: number): bool
  return autoread.IsOn(bufnr) || announced.Has(file.Name(bufnr))
enddef

# Whether a buffer's file is left to Vim because of its size.
export def IsTooLarge(bufnr: number): bool
  return getfsize(file.Name(bufnr)) > LARGEST
enddef

# Replace the buffer's text with that on disk, and reapply unsaved changes. Returns a notice or ''.
def Apply(write: dict<any>, text: dict<any>): string
  const bufnr: number = write.bufnr
  const saved: list<list<string>> = write.saved
  if !getbufvar(bufnr, '&modified')
    edit.Adopt(bufnr, text, text.lines)
    return ''
  elseif empty(saved)
    return 'has unsaved changes to an older text, which are kept as they are'
  endif
  const merged = rebase.Merge(saved[0], getbufline(bufnr, 1, '$'), edit.InBuffer(text.lines))
  edit.Adopt(bufnr, text, merged.lines)
  return merged.conflict ? 'your unsaved changes to the same lines are one undo away' : ''
enddef

# [true, a notice or ''] or [false, a reason]; empty if Vim refuses to change any text now.
def TryApply(write: dict<any>, text: dict<any>): list<any>
  try
    return [true, call(Apply, [write, text])]
  catch /E565:\|E523:\|E788:\|E11:\|E12:\|E994:/
    return []
  catch
    return [false, reason.Of(v:exception)]
  endtry
enddef

def Warn(bufnr: number, notice: string)
  message.Show($'{fnamemodify(bufname(bufnr), ":t")}: {notice}', 'warn')
enddef

# Leave a buffer as it is if it has unsaved changes or its file is too large. Only for an accepted
# diff, unsaved changes are reapplied. Returns whether it is left.
def KeepText(write: dict<any>): bool
  const bufnr: number = write.bufnr
  const is_modified: bool = getbufvar(bufnr, '&modified')
  if !write.is_unannounced || !(is_modified || IsTooLarge(bufnr))
    return false
  endif
  expected.Forget(write)
  if is_modified
    file_write.RememberConflict(bufnr)
    report.Kept(file.Name(bufnr))
  endif
  return true
enddef

# The file has been written again while it was read. Vim regards both as the same write.
def FollowNext(write: dict<any>, lines: list<string>)
  final next_write = WaitFor(write.bufnr, [lines])
  next_write.is_unannounced = write.is_unannounced
  next_write.changed_at = expected.Now()
enddef

# Report the new text of a buffer. The user has seen that of an accepted diff.
def ReportChange(write: dict<any>, before: dict<any>)
  const bufnr: number = write.bufnr
  if !write.is_unannounced
    announced.Take(file.Name(bufnr))
    written.Report(bufnr)
  elseif report.Followed(bufnr, before)
    written.Report(bufnr)
  endif
enddef

# Update the buffer from the disk now, if possible; return whether it was. `unchanged` are the milliseconds
# since the last change of the file. Most programs empty a file before they write it, and on a busy machine
# some time may pass in between.
def Update(write: dict<any>, unchanged: number): bool
  const bufnr: number = write.bufnr
  const text = moment.MayChange(bufnr) ? edit.Read(bufnr) : {}
  if empty(text) || (text.bytes ==# [''] && unchanged < SETTLED_EMPTY)
    return false
  endif
  const before = report.Before(bufnr)
  const applied = TryApply(write, text)
  if empty(applied)
    return false
  endif
  expected.Forget(write)
  const notice = applied[0] ? applied[1] : $'cannot be reloaded: {applied[1]}'
  if notice !=# ''
    Warn(bufnr, notice)
  endif
  if !applied[0] || empty(write.saved)
    return false
  endif
  changed.Know(bufnr)
  file_write.MarkRead(bufnr)
  if edit.Bytes(bufnr) !=# text.bytes
    FollowNext(write, text.lines)
  endif
  ReportChange(write, before)
  return true
enddef

def Check(write: dict<any>): bool
  const bufnr: number = write.bufnr
  if !bufloaded(bufnr)
    expected.Forget(write)
    return true
  elseif expected.Look(write)
    const unchanged = expected.Now() - write.changed_at
    if unchanged >= SETTLED && (KeepText(write) || Update(write, unchanged))
      return true
    endif
  endif
  if expected.Now() > write.deadline && moment.MayChange(bufnr)
    expected.Forget(write)
    # Another program may have written the file before the write was expected.
    if !write.is_unannounced && MayBeNoticed(bufnr)
      Notice(bufnr)
    endif
  endif
  return true
enddef

# The interval starts at the end of a round, because the checks take time, too.
def Poll(_: number)
  for write in moment.IsTextFree() ? expected.All() : []
    const checked = reason.Attempt(Check, [write])
    if !checked[0]
      expected.Forget(write)
      message.Show(checked[1], 'error')
    endif
  endfor
  is_polling = !empty(expected.All())
  if is_polling
    timer_start(POLL, Poll)
  endif
enddef

def WaitFor(bufnr: number, saved: list<list<string>>): dict<any>
  final write = expected.New(bufnr, saved, PATIENCE)
  if !is_polling
    is_polling = true
    timer_start(POLL, Poll)
  endif
  return write
enddef

# Whether Vim knows the file of a buffer with unsaved changes in its current state.
def IsCurrent(bufnr: number): bool
  file_write.NoticeConflict(bufnr)
  return moment.IsTextFree() && !file_write.IsInConflict(bufnr)
enddef

def SavedOf(bufnr: number): list<list<string>>
  const is_modified: bool = getbufvar(bufnr, '&modified')
  return expected.SavedText(bufnr, !is_modified || IsCurrent(bufnr))
enddef

# Notice a change that is there already, which would else be taken for one that is expected. A buffer
# with 'autoread' would be reloaded; it follows the change anyway.
def NoticeEarlier(bufnr: number)
  if !getbufvar(bufnr, '&autoread')
    file_write.NoticeConflict(bufnr)
  endif
enddef

# The text of a file, as a list with it, for a write that is expected later; empty if it is not
# known.
export def Saved(path: string): list<list<string>>
  const bufnr = buffers.Loaded(path)
  if bufnr == 0 || edit.IsTranslated(bufnr)
    return []
  endif
  NoticeEarlier(bufnr)
  return SavedOf(bufnr)
enddef

# Expect a write to a file that the user has accepted: its buffer, if loaded, is updated then, and
# unsaved changes are reapplied. The write may already have happened, unless it `is_ahead`; `saved` is
# the text before it.
export def Expect(path: string, saved: list<list<string>> = [], is_ahead = false): bool
  const bufnr = buffers.Loaded(path)
  if bufnr == 0 || edit.IsTranslated(bufnr)
    return true
  endif
  if is_ahead
    NoticeEarlier(bufnr)
  endif
  const known = expected.Of(bufnr)
  final write = empty(known) ? WaitFor(bufnr, empty(saved) ? SavedOf(bufnr) : saved) : known
  write.is_unannounced = false
  write.deadline = expected.Now() + PATIENCE
  return true
enddef

# Whether a write to a buffer's file is expected or being followed.
export def IsExpected(bufnr: number): bool
  return !empty(expected.Of(bufnr))
enddef

def Reread(bufnr: number)
  const before = report.Before(bufnr)
  changed.Reread(bufnr)
  file_write.MarkRead(bufnr)
  if report.Followed(bufnr, before)
    written.Report(bufnr)
  endif
enddef

# Have Vim read a file again once it is no longer being written and the user is not disturbed.
def RereadSoon(bufnr: number, deadline: number)
  const seen = stamp.Of(file.Name(bufnr))
  rereading[bufnr] = true
  timer_start(SETTLED, (_) => {
    rereading->remove(string(bufnr))
    if !bufloaded(bufnr) || getbufvar(bufnr, '&modified') || !IsFollowed(bufnr)
      return
    elseif stamp.Of(file.Name(bufnr)) ==# seen && moment.MayChange(bufnr)
      Reread(bufnr)
    elseif expected.Now() < deadline
      RereadSoon(bufnr, deadline)
    endif
  })
enddef

# Look for a write to the file of an unmodified buffer that was not announced. If there was one, the
# buffer is updated as soon as possible. Returns the write, or an empty dict.
export def Notice(bufnr: number): dict<any>
  if IsTooLarge(bufnr)
    return {}
  elseif edit.IsTranslated(bufnr)
    if !has_key(rereading, bufnr)
      RereadSoon(bufnr, expected.Now() + PATIENCE)
    endif
    return {}
  endif
  final write = WaitFor(bufnr, [getbufline(bufnr, 1, '$')])
  write.is_unannounced = true
  if file_write.NoticeConflict(bufnr) || file_write.IsInConflict(bufnr)
    write.changed_at = expected.Now()
    return write
  endif
  expected.Forget(write)
  return {}
enddef

def MayBeNoticed(bufnr: number): bool
  return !getbufvar(bufnr, '&modified') && !moment.IsInUse(bufnr) && IsFollowed(bufnr)
enddef

def SyncBuffer(bufnr: number): bool
  var write = expected.Of(bufnr)
  if empty(write) && MayBeNoticed(bufnr)
    write = Notice(bufnr)
  endif
  return !empty(write) && expected.Look(write) && !KeepText(write) && Update(write, 0)
enddef

# Whether a buffer's file has been written since Vim has read or written it. The buffer then follows
# as soon as possible.
export def HasChanged(bufnr: number): bool
  const write = expected.Of(bufnr)
  if !empty(write)
    return expected.Look(write)
  elseif getbufvar(bufnr, '&modified')
    return !IsCurrent(bufnr)
  endif
  return IsFollowed(bufnr) && !empty(Notice(bufnr))
enddef

# Update one buffer now, if its file has been written. Returns whether it has changed.
export def SyncOne(bufnr: number): bool
  if !moment.IsTextFree() || file.LoadedPath(bufnr) ==# ''
    return false
  endif
  const synced = reason.Attempt(SyncBuffer, [bufnr])
  return synced[0] && synced[1]
enddef

# Update all loaded buffers whose files have been written, now. Returns the numbers of those that
# have changed.
export def Sync(): list<number>
  return file.LoadedFiles()->filter((_, bufnr) => SyncOne(bufnr))
enddef

defcompile
