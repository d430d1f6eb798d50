vim9script
# Reacts to a change on disk, which the host has noticed: the buffer is updated, or a message says
# why not. Also tells the host which files to watch (`disk_watch.py`).

import autoload '../channel.vim'
import autoload '../file/changed.vim'
import autoload '../file/path.vim' as file
import autoload '../file/write.vim' as file_write
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'
import autoload './reload.vim'
import autoload './report.vim'

var is_on = false
var unreported: dict<bool> = {} # buffers that the host does not know, or should forget

# Only for the autocommands: once the user has undone their changes, the buffer can be updated.
export def CheckUnmodified(bufnr: number)
  if !file_write.IsInConflict(bufnr)
    execute $'autocmd! claude_ide_unmodified * <buffer={bufnr}>'
  elseif !getbufvar(bufnr, '&modified')
    execute $'autocmd! claude_ide_unmodified * <buffer={bufnr}>'
    ReportSoon(bufnr)
  endif
enddef

# Vim has no event for 'modified'.
def CheckWhenUnmodified(bufnr: number)
  augroup claude_ide_unmodified
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd TextChanged,InsertLeave,BufEnter,CursorHold <buffer={bufnr}>'
      .. $' claude_ide#disk_changes#change#CheckUnmodified({bufnr})'
  augroup END
enddef

def Keep(bufnr: number)
  if file_write.NoticeConflict(bufnr)
    report.Kept(file.Name(bufnr))
  endif
  CheckWhenUnmodified(bufnr)
enddef

def Check(bufnr: number): string
  if !is_on || file.LoadedPath(bufnr) ==# ''
    return ''
  elseif reload.IsExpected(bufnr) || !moment.IsTextFree()
    return 'busy'
  elseif !reload.IsFollowed(bufnr)
    return ''
  elseif getbufvar(bufnr, '&modified')
    Keep(bufnr)
    return ''
  endif
  return empty(reload.Notice(bufnr)) ? '' : 'followed'
enddef

# Check buffers whose files may have changed. The host calls this. Returns what has become of each:
# 'busy', so that the host has to ask again later, 'followed' if it will be updated, or ''.
export def ChangedIn(bufnrs: list<number>): list<string>
  return bufnrs->mapnew((_, bufnr) => {
    const checked = reason.Attempt(Check, [bufnr])
    if !checked[0]
      message.Show(checked[1], 'error')
    endif
    return checked[0] ? checked[1] : ''
  })
enddef

# Vim has found the change first, for example because it got the focus.
def TakesOver(bufnr: number): bool
  const is_ours = file.LoadedPath(bufnr) !=# '' && reload.IsFollowed(bufnr)
    && !reload.IsTooLarge(bufnr)
  if is_ours
    ReportSoon(bufnr)
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
    files->add({bufnr: bufnr, path: file.LoadedPath(bufnr)})
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
  changed.Watch(on, TakesOver)
  augroup claude_ide_disk_change
    autocmd!
    if on
      autocmd BufReadPost,BufNewFile,BufFilePost,BufUnload * ReportSoon(str2nr(expand('<abuf>')))
    endif
  augroup END
  for bufnr in on ? file.LoadedFiles() : []
    ReportSoon(bufnr)
  endfor
  if !on
    channel.Emit('files_unwatched', {})
  endif
enddef

defcompile
