vim9script
# Writes buffers to their files as the user would, but never overwrites changes of another program.

import autoload './changed.vim'
import autoload './edit.vim'
import autoload './gate.vim'
import autoload './path.vim' as file
import autoload './stamp.vim'
import autoload '../window/inside.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

const CHANGED = 'has changed on disk since Vim read it; it was not written.'

# By buffer, the stamp of its file when Vim last read or wrote it.
final states: dict<string> = {}
# Buffers whose text is not based on what is on disk.
final conflicts: dict<bool> = {}
# Whether another program has written the file while autocommands ran before a write.
var is_overtaken = false
# Whether the last write has failed after it had changed the file.
var is_damaged = false
var is_watching = false
# Whether `FileChangedShellPost` tells of a text that we have read.
var is_reporting = false

def ForgetState(bufnr: string)
  if has_key(states, bufnr)
    remove(states, bufnr)
  endif
enddef

def ForgetConflict(bufnr: string)
  if has_key(conflicts, bufnr)
    remove(conflicts, bufnr)
  endif
enddef

# Record that a buffer holds the text of its file.
export def MarkRead(bufnr: number)
  ForgetConflict(string(bufnr))
  # Without the watch, later reads and writes would go unnoticed.
  if is_watching
    states[bufnr] = stamp.Of(file.Name(bufnr))
  endif
enddef

# The buffer has the name of a file that Vim has not read for it, if there is one.
def MarkUnread(bufnr: number)
  states[bufnr] = stamp.MISSING
enddef

# Record whether `FileChangedShellPost` is triggered by us rather than by Vim.
export def MarkReporting(on: bool)
  is_reporting = on
enddef

# The user has seen that the file has changed, and has kept their own text.
def NoteAnswer(bufnr: number)
  if getbufvar(bufnr, '&modified') && !is_reporting
    RememberConflict(bufnr)
  endif
enddef

# Track the state of each file that Vim has last read or written.
export def Watch(on: bool)
  is_watching = on
  filter(states, (_, _) => false)
  augroup claude_ide_disk
    autocmd!
    if on
      autocmd BufReadPost,BufWritePost * MarkRead(str2nr(expand('<abuf>')))
      autocmd BufNewFile,BufFilePost * MarkUnread(str2nr(expand('<abuf>')))
      autocmd FileChangedShellPost * NoteAnswer(str2nr(expand('<abuf>')))
      autocmd BufUnload * ForgetState(expand('<abuf>')) | ForgetConflict(expand('<abuf>'))
    endif
  augroup END
  for info in on ? getbufinfo({bufloaded: 1}) : []
    states[info.bufnr] = stamp.Of(info.name)
  endfor
enddef

# Record that a buffer's text is not based on the current text of its file.
export def RememberConflict(bufnr: number)
  conflicts[bufnr] = true
enddef

# Whether a buffer has such a conflict.
export def IsInConflict(bufnr: number): bool
  return has_key(conflicts, bufnr)
enddef

# Whether another program has written the file of a buffer. True only once per write;
# `IsInConflict` stays true until the buffer holds the new text.
export def NoticeConflict(bufnr: number): bool
  const is_new = changed.Probe(bufnr) !=# ''
  if is_new
    RememberConflict(bufnr)
  endif
  return is_new
enddef

# Whether a buffer's file differs from what it was when Vim last read or wrote it, as far as whole
# seconds and sizes tell; also whether Vim has never read it.
export def HasOtherTime(bufnr: number): bool
  const now = stamp.Of(file.Name(bufnr))
  return now !=# stamp.MISSING && get(states, bufnr, now) !=# now
enddef

# Whether another program has written the file of a buffer since Vim last read or wrote it.
export def HasChanged(bufnr: number): bool
  const name = file.Name(bufnr)
  if stamp.Of(name) ==# stamp.MISSING
    return false
  elseif IsInConflict(bufnr) || HasOtherTime(bufnr)
    return true
  elseif NoticeConflict(bufnr)
    message.Show($'{fnamemodify(name, ":t")} has changed on disk, too; `:w` asks', 'warn')
    return true
  endif
  return false
enddef

# Why `:write` would refuse, apart from a change of the file; empty if it would not.
def Protection(bufnr: number, path: string): string
  if getbufvar(bufnr, '&readonly')
    return $'{path}: the option readonly is set; it was not written.'
  elseif gate.TypeOf(path) !=# '' && !filewritable(path)
    return $'{path}: the file is read-only; it was not written.'
  endif
  return ''
enddef

# Write without a question. `:write`, also with `!`, asks when it finds that the file has changed,
# and `:silent` hides the question. Another program may change it while autocommands such as a
# formatter run, and Vim cannot check it while it writes, so these run first. With 'confirm', an
# error would become a dialog. Throws if it fails.
def WriteWithoutDialog(bufnr: number)
  const settings = [&confirm, &eventignore]
  const target = file.Resolved(file.Name(bufnr))
  &confirm = false
  try
    inside.Run(bufnr, 'silent doautocmd <nomodeline> BufWritePre')
    if NoticeConflict(bufnr) || file.Resolved(file.Name(bufnr)) !=# target
      is_overtaken = true
      return
    endif
    # An autocommand may have kept a change to itself that shows in no stamp.
    edit.MarkWritten(bufnr)
    setbufvar(bufnr, '&modified', true)
    &eventignore = settings[1] ==# '' ? 'BufWritePre' : settings[1] .. ',BufWritePre'
    inside.Run(bufnr, 'silent write!')
  finally
    [&confirm, &eventignore] = settings
  endtry
enddef

# Write a loaded buffer if it has unsaved changes or its file does not exist. Returns why it was not
# written, as one sentence; empty if it was.
export def Write(bufnr: number): string
  const path = file.Name(bufnr)
  const type = gate.TypeOf(path)
  const was_modified = getbufvar(bufnr, '&modified')
  if !was_modified && type !=# ''
    return ''
  elseif type !=# '' && type !=# 'file'
    # Writing to a pipe might never end.
    return $'{path}: no longer a regular file; it was not written.'
  elseif HasChanged(bufnr)
    # `:write` would ask "really write?", and the keys that the user is typing would answer it.
    return $'{path} {CHANGED}'
  endif
  const protection = Protection(bufnr, path)
  if protection !=# ''
    return protection
  endif
  const was_listed = getbufvar(bufnr, '&buflisted')
  is_overtaken = false
  is_damaged = false
  const bytes = edit.Bytes(bufnr)
  const failure = reason.Try(WriteWithoutDialog, [bufnr])
  if bufexists(bufnr)
    # A language server that formats before the write lists the buffer.
    setbufvar(bufnr, '&buflisted', was_listed)
  endif
  if is_overtaken
    return $'{path} {CHANGED}'
  endif
  # An error in an autocommand after the write does not undo it.
  const is_written = was_modified && !getbufvar(bufnr, '&modified')
  is_damaged = !is_written && edit.Bytes(bufnr) !=# bytes
  return is_written ? '' : failure
enddef

# Whether the last `Write` has failed after it had changed the file: only the buffer still has the text.
export def IsDamaged(): bool
  return is_damaged
enddef

defcompile
