vim9script
# Updates buffers after Claude or another program has written their files, without asking the user. The host
# is told which files to watch, notices the writes, and says when a file is no longer being written
# (`editor/disk.py`). Until a write is handled, Vim neither reloads the buffer automatically nor asks the user.
#
# A write is a dict:
#
# - `bufnr`
# - `saved`: a list with the text of the file before the write; empty if that is not known
# - `deadline`: seconds, as `localtime()`, if it is expected
# - `has_changed`: whether Vim has found that the file has changed
# - `is_unannounced`: it was found on disk, and is not that of an accepted diff

import autoload '../channel.vim'
import autoload '../diagnostics/texts.vim'
import autoload '../file/buffers.vim'
import autoload '../file/disk.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/rebase.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'
import autoload './report.vim'

const COMES_WITHIN_SECONDS = 10
const BUSY_MS = 100

const LARGEST = 64 * 1024 * 1024 # bytes; reading more would block Vim for seconds

var is_on = false
var unreported: dict<bool> = {} # buffers that the host does not know, or should forget
final postponed: dict<string> = {} # stamps by buffer: writes of other programs that were in the way
var expected: dict<dict<any>> = {} # writes by buffer

# Tell the host of the buffers that have been loaded, renamed or unloaded in the meantime.
def ReportFiles(_: number)
  const files = keys(unreported)->mapnew((_, key) => {
    const bufnr = str2nr(key)
    return {bufnr: bufnr, path: file.LoadedPath(bufnr)}
  })
  unreported = {}
  if is_on && !empty(files)
    channel.Emit('files_loaded', {files: files})
  endif
enddef

# Have the host look at a buffer's file as if it had just been loaded.
def LookAgain(bufnr: number)
  if empty(unreported)
    timer_start(0, ReportFiles)
  endif
  unreported[bufnr] = true
enddef

# Whether a buffer is updated after a write that was not announced: always if the write is Claude's,
# otherwise unless 'autoread' is switched off. A large file is left to Vim.
def IsFollowed(bufnr: number): bool
  const name = file.Name(bufnr)
  return (disk.IsAutoread(bufnr) || claude_ide#agent_writes#Announced(name) !=# '') && getfsize(name) <= LARGEST
enddef

# The text that a buffer's unsaved changes are based on, as a list with it; empty if it is not known, as Vim
# does not know the file in its current state. `earlier` serves as the base, too: buffer and file derive from
# it.
def SavedText(bufnr: number, earlier: list<list<string>> = []): list<list<string>>
  if !getbufvar(bufnr, '&modified')
    return [getbufline(bufnr, 1, '$')]
  elseif !empty(earlier) || disk.NoticeConflict(bufnr) || disk.IsInConflict(bufnr) || !moment.IsTextFree()
    return earlier
  endif
  return [edit.Read(bufnr)->get('lines', []) ?? ['']]
enddef

# Vim has noticed a write before us.
def OnShell(bufnr: number)
  # "ask" shows nothing if only the time has changed.
  v:fcs_choice = v:fcs_reason ==# 'time' ? 'ask' : ''
  if index(['time', 'deleted'], v:fcs_reason) < 0
    expected[bufnr].has_changed = true
  endif
enddef

# Vim has read or written the file. `:write other.txt` writes another one.
def OnFile(bufnr: number, path: string)
  if fnamemodify(path, ':p') ==# file.Name(bufnr)
    final write = expected[bufnr]
    extend(write, {saved: SavedText(bufnr, write.saved), has_changed: false})
  endif
enddef

# Keep Vim from handling a write: an autocommand, or a change of focus, may run `:checktime` at any time.
def TakeControl(bufnr: number, saved: list<list<string>>): dict<any>
  expected[bufnr] = {bufnr: bufnr, saved: saved, has_changed: false, is_unannounced: true}
  disk.SuspendAutoread(bufnr)
  augroup claude_ide_expected
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd FileChangedShell <buffer={bufnr}> OnShell({bufnr})'
    execute $'autocmd BufReadPost,BufWritePost <buffer={bufnr}> OnFile({bufnr}, expand("<afile>"))'
  augroup END
  return expected[bufnr]
enddef

# Expect no write to a buffer's file: Vim handles changes of it again.
export def ExpectNothing(bufnr: number)
  if has_key(expected, bufnr)
    remove(expected, string(bufnr))
    disk.ResumeAutoread(bufnr)
    if bufexists(bufnr)
      execute $'autocmd! claude_ide_expected * <buffer={bufnr}>'
    endif
  endif
enddef

# The host, which notices writes, has ended.
export def HostEnded()
  for key in keys(expected)
    ExpectNothing(str2nr(key))
  endfor
enddef

# Whether the file has been written.
def HasChanged(write: dict<any>): bool
  write.has_changed = disk.NoticeConflict(write.bufnr) || write.has_changed
  return write.has_changed
enddef

# A write of which Vim has not known; empty if there was none, or if it is left to Vim.
def Notice(bufnr: number): dict<any>
  if edit.IsTranslated(bufnr)
    return {}
  endif
  final write = TakeControl(bufnr, [getbufline(bufnr, 1, '$')])
  if HasChanged(write) || disk.IsInConflict(bufnr)
    write.has_changed = true
    return write
  endif
  ExpectNothing(bufnr)
  return {}
enddef

# Once the user has undone their changes, the buffer can be updated.
def CheckUnmodified(bufnr: number)
  const is_in_conflict = disk.IsInConflict(bufnr)
  if !is_in_conflict || !getbufvar(bufnr, '&modified')
    execute $'autocmd! claude_ide_unmodified * <buffer={bufnr}>'
    if is_in_conflict
      LookAgain(bufnr)
    endif
  endif
enddef

# The user has written a file, perhaps without an autocommand.
def NoteOwn(bufnr: number)
  claude_ide#own_writes#Noticed(bufnr, disk.ReadStamp(bufnr))
  disk.MarkRead(bufnr)
enddef

# Leave a buffer with unsaved changes as it is. For an accepted diff they are reapplied; the host merges what an
# agent writes without one (`review/merging.py`). Vim has no event for 'modified'.
def Keep(bufnr: number, is_noticed: bool)
  const is_earlier = !is_noticed && disk.IsInConflict(bufnr)
  if is_noticed || disk.NoticeConflict(bufnr)
    disk.RememberConflict(bufnr)
    claude_ide#agent_writes#Kept(file.Name(bufnr), disk.ReadStamp(bufnr), is_earlier)
  elseif !is_earlier
    NoteOwn(bufnr)
  endif
  augroup claude_ide_unmodified
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd TextChanged,InsertLeave,BufEnter,CursorHold <buffer={bufnr}> CheckUnmodified({bufnr})'
  augroup END
enddef

# Have the unsaved changes of a buffer count as based on the present file: `:write` does not ask about it.
export def Acknowledge(bufnr: number): bool
  edit.Acknowledge(bufnr)
  disk.MarkRead(bufnr)
  return true
enddef

# Have Vim read a file again that a plugin makes the text of.
def Reread(bufnr: number): string
  if !moment.MayChange(bufnr)
    return 'busy'
  endif
  const before = report.Before(bufnr)
  disk.Reread(bufnr)
  if !report.Followed(bufnr, before)
    return ''
  endif
  texts.Report(bufnr)
  return 'followed'
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
  const merged = rebase.Merge(saved[0], getbufline(bufnr, 1, '$'), text.lines ?? [''])
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
    return [false, 'cannot be reloaded: ' .. reason.Of(v:exception)]
  endtry
enddef

# Update the buffer from the disk. A file that is not known to be complete is left alone while it is empty:
# most programs empty a file before they write it.
def Update(write: dict<any>, is_settled: bool): string
  const bufnr: number = write.bufnr
  const text = edit.Read(bufnr)
  if empty(text)
    ExpectNothing(bufnr)
    return ''
  elseif text.bytes ==# [''] && !is_settled
    return 'busy'
  endif
  const before = report.Before(bufnr)
  const applied = TryApply(write, text)
  if empty(applied)
    return 'busy'
  endif
  ExpectNothing(bufnr)
  if applied[1] !=# ''
    message.Show($'{fnamemodify(bufname(bufnr), ":t")}: {applied[1]}', 'warn')
  endif
  if !applied[0] || empty(write.saved)
    return ''
  endif
  disk.MarkRead(bufnr)
  if edit.Bytes(bufnr) !=# text.bytes
    # It has been written again while it was read. Vim regards both as the same write.
    TakeControl(bufnr, [text.lines])
      ->extend({has_changed: true, is_unannounced: write.is_unannounced})
  endif
  if !write.is_unannounced
    # The user has accepted this diff, so no message is needed.
    claude_ide#agent_writes#Take(file.Name(bufnr))
    texts.Report(bufnr)
  elseif report.Followed(bufnr, before)
    texts.Report(bufnr)
  endif
  return 'followed'
enddef

# Have a buffer follow its file, which is no longer being written if it still has the stamp `settled`.
# Returns 'busy', 'followed' or ''.
def Follow(bufnr: number, settled = ''): string
  final known = get(expected, bufnr, {})
  const is_modified: bool = getbufvar(bufnr, '&modified')
  if settled !=# '' && disk.Stamp(file.Name(bufnr)) !=# settled
    return 'busy'
  elseif empty(known) && (!IsFollowed(bufnr)
      || (settled ==# '' && (is_modified || moment.IsInUse(bufnr))))
    return ''
  elseif empty(known) && is_modified
    Keep(bufnr, false)
    return ''
  elseif empty(known) && edit.IsTranslated(bufnr)
    return settled ==# '' ? '' : Reread(bufnr)
  endif
  final write = empty(known) ? Notice(bufnr) : known
  if empty(write)
    NoteOwn(bufnr)
    return ''
  elseif !HasChanged(write)
    return ''
  elseif write.is_unannounced && is_modified
    ExpectNothing(bufnr)
    Keep(bufnr, true)
    return ''
  endif
  return moment.MayChange(bufnr) ? Update(write, settled !=# '') : 'busy'
enddef

# Have buffers follow their files, which have changed and are no longer being written. The host calls this
# with lists of a buffer and the stamp of its file. Returns for each 'busy', so that the host has to call
# again; 'followed'; or ''.
export def ChangedIn(files: list<list<any>>): list<string>
  return files->mapnew((_, each) => {
    if file.LoadedPath(each[0]) ==# ''
      return ''
    elseif !moment.IsTextFree()
      return 'busy'
    endif
    const [is_done, state] = reason.Attempt(Follow, each)
    if !is_done
      message.Show(state, 'error')
    endif
    return is_done ? state : ''
  })
enddef

# Update one buffer now, if its file has been written. Returns whether it has changed.
export def SyncOne(bufnr: number): bool
  return moment.IsTextFree() && file.LoadedPath(bufnr) !=# ''
    && reason.Attempt(Follow, [bufnr]) == [true, 'followed']
enddef

# Update all loaded buffers whose files have been written, now. Returns the numbers of those that
# have changed.
export def Sync(): list<number>
  return file.LoadedFiles()->filter((_, bufnr) => SyncOne(bufnr))
enddef

# Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
# unsaved changes to an earlier text.
export def IsBehind(bufnr: number): bool
  if disk.IsInConflict(bufnr)
    return true
  elseif has_key(expected, bufnr)
    return HasChanged(expected[bufnr])
  elseif getbufvar(bufnr, '&modified')
    return disk.NoticeConflict(bufnr) || !moment.IsTextFree()
  endif
  return IsFollowed(bufnr) && !empty(Notice(bufnr))
enddef

# Notice a change that is there already, which would else be taken for one that is expected. A buffer
# with 'autoread' would be reloaded; it follows the change anyway.
def NoticeEarlier(bufnr: number)
  if !getbufvar(bufnr, '&autoread')
    disk.NoticeConflict(bufnr)
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
  return SavedText(bufnr)
enddef

# Another program may have written the file before the write was expected: then the host has to look again.
def Expire(write: dict<any>)
  const bufnr: number = write.bufnr
  const left: number = write.deadline - localtime()
  if get(expected, bufnr, {}) isnot write
    return
  elseif bufloaded(bufnr) && (left > 0 || write.has_changed)
    timer_start(max([left * 1000, BUSY_MS]), (_) => Expire(write))
  else
    ExpectNothing(bufnr)
    LookAgain(bufnr)
  endif
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
  final write = get(expected, bufnr, {})
    ?? TakeControl(bufnr, empty(saved) ? SavedText(bufnr) : saved)
  extend(write, {is_unannounced: false, deadline: localtime() + COMES_WITHIN_SECONDS})
  Expire(write)
  if !is_ahead
    LookAgain(bufnr)
  endif
  return true
enddef

# Vim has found a change first, for example because it got the focus.
def TakesOver(bufnr: number): bool
  const is_ours = file.LoadedPath(bufnr) !=# '' && IsFollowed(bufnr)
  if is_ours
    LookAgain(bufnr)
  endif
  return is_ours
enddef

# Whether another program has just written a buffer's file, of which the host does not know, or has just been told.
def IsUnjudged(bufnr: number, name: string): bool
  return disk.IsInTheWay(bufnr) && IsFollowed(bufnr)
    && (!disk.IsInConflict(bufnr) || claude_ide#agent_writes#IsUnjudged(name))
enddef

# Keep a write by an autocommand for leaving Insert mode from the file for a moment: if that is not nested, it runs
# no `BufWritePre`, and Vim would ask about a write that the host is about to merge.
def Hold(bufnr: number)
  if getbufvar(bufnr, '&modified') && !getbufvar(bufnr, '&readonly') && IsUnjudged(bufnr, file.Name(bufnr))
    setbufvar(bufnr, '&readonly', true)
    LookAgain(bufnr)
    # The last of these autocommands. CTRL-C runs none.
    execute $'autocmd claude_ide_held InsertLeave <buffer={bufnr}> ++once setbufvar({bufnr}, "&readonly", false)'
    timer_start(0, (_) => setbufvar(bufnr, '&readonly', false))
  endif
enddef

# Whether the user's `:write` is cancelled: Vim would ask about a write that may be merged in an instant.
def Postpones(bufnr: number, path: string): bool
  const name = file.Name(bufnr)
  const stamp = disk.Stamp(name)
  if fnamemodify(path, ':p') !=# name || get(postponed, bufnr, '') ==# stamp || !IsUnjudged(bufnr, name)
    return false
  endif
  postponed[bufnr] = stamp
  LookAgain(bufnr)
  const words = 'was not written: it has just changed on disk; :w again'
  timer_start(0, (_) => message.Show($'{fnamemodify(name, ":t")} {words}', 'warn'))
  return true
enddef

# Update buffers after writes to their files, or stop.
export def Watch(on: bool)
  if on == is_on
    return
  endif
  is_on = on
  disk.Watch(on, TakesOver)
  augroup claude_ide_held
    autocmd!
  augroup END
  augroup claude_ide_disk_change
    autocmd!
    if on
      autocmd BufReadPost,BufNewFile,BufFilePost,BufUnload * LookAgain(str2nr(expand('<abuf>')))
      autocmd InsertLeavePre * Hold(str2nr(expand('<abuf>')))
      # An error would be several lines, which the user has to confirm.
      autocmd BufWritePre * if Postpones(str2nr(expand('<abuf>')), expand('<amatch>')) | interrupt() | endif
    endif
  augroup END
  for bufnr in on ? file.LoadedFiles() : []
    LookAgain(bufnr)
  endfor
  if !on
    channel.Emit('files_unwatched', {})
  endif
enddef

defcompile
