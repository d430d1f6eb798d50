vim9script
# Writes to the files of buffers that are expected or may already have happened. Until such a write
# is handled, Vim neither reloads the buffer automatically nor asks the user about it.
#
# A write is a dict:
#
# - `bufnr`
# - `saved`: a list with the text of the file before the write; empty if that is not known
# - `deadline`: milliseconds, as `Now`
# - `changed_at`: when the file was last seen to have changed; 0 if it has not
# - `is_unannounced`: it was found on disk, and is not that of an accepted diff

import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/write.vim' as file_write
import autoload '../file/autoread.vim'

var expected: dict<dict<any>> = {} # by buffer

# Milliseconds since some fixed time.
export def Now(): number
  return float2nr(reltimefloat(reltime()) * 1000)
enddef

# The text that a buffer's unsaved changes are based on, as a list with it; empty if it is not known.
# `earlier` serves as the base, too: buffer and file derive from it. `is_current` is whether Vim knows
# the file in its current state.
export def SavedText(bufnr: number, is_current: bool,
    earlier: list<list<string>> = []): list<list<string>>
  if !getbufvar(bufnr, '&modified')
    return [getbufline(bufnr, 1, '$')]
  elseif !empty(earlier) || !is_current
    return earlier
  endif
  const text = edit.Read(bufnr)
  return [edit.InBuffer(get(text, 'lines', []))]
enddef

# Only for the autocommand: Vim has noticed the write before us.
export def OnShell(bufnr: number)
  final write = Of(bufnr)
  if empty(write) || v:fcs_reason ==# 'time'
    v:fcs_choice = 'ask' # which shows nothing if only the time has changed
    return
  endif
  v:fcs_choice = ''
  if v:fcs_reason !=# 'deleted'
    write.changed_at = Now()
  endif
enddef

# Only for the autocommand: Vim has read or written the file. `:write other.txt` writes another one.
export def OnFile(bufnr: number, path: string)
  final write = Of(bufnr)
  if !empty(write) && fnamemodify(path, ':p') ==# file.Name(bufnr)
    write.saved = SavedText(bufnr, true, write.saved)
    write.changed_at = 0
  endif
enddef

# Keep Vim from handling the write: an autocommand, or a change of focus, may run `:checktime` at
# any time.
def TakeControl(bufnr: number)
  autoread.Suspend(bufnr)
  augroup claude_ide_expected
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd FileChangedShell <buffer={bufnr}> claude_ide#disk_changes#expected#OnShell({bufnr})'
    execute $'autocmd BufReadPost,BufWritePost <buffer={bufnr}>'
      .. $' claude_ide#disk_changes#expected#OnFile({bufnr}, expand("<afile>"))'
  augroup END
enddef

# The expected write to the file of a buffer; empty if there is none.
export def Of(bufnr: number): dict<any>
  return get(expected, bufnr, {})
enddef

# All expected writes.
export def All(): list<dict<any>>
  return values(expected)
enddef

# Stop expecting a write; Vim handles changes of the file again.
export def Forget(write: dict<any>)
  const bufnr: number = write.bufnr
  if has_key(expected, bufnr)
    expected->remove(bufnr)
  endif
  if bufexists(bufnr)
    execute $'autocmd! claude_ide_expected * <buffer={bufnr}>'
    autoread.Resume(bufnr)
  endif
enddef

# Expect a write to the file of a loaded buffer for so many milliseconds.
export def New(bufnr: number, saved: list<list<string>>, patience: number): dict<any>
  expected[bufnr] = {
    bufnr: bufnr,
    saved: saved,
    deadline: Now() + patience,
    changed_at: 0,
    is_unannounced: false,
  }
  TakeControl(bufnr)
  return expected[bufnr]
enddef

# Whether the file has been written; also notes when that was noticed.
export def Look(write: dict<any>): bool
  if file_write.NoticeConflict(write.bufnr)
    write.changed_at = Now()
    return true
  endif
  return write.changed_at > 0
enddef

defcompile
