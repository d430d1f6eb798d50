vim9script
# Writes buffers to their files as the user would, but never overwrites changes of another program.

import autoload './changed.vim'
import autoload './gate.vim'
import autoload './path.vim' as file
import autoload './stamp.vim'
import autoload './inside.vim'
import autoload '../say/message.vim'
import autoload '../say/reason.vim'

const CHANGED = 'has changed on disk since Vim read it; it was not written.'

# The stamps of the files as Vim has last read or written them, by buffer.
final states: dict<string> = {}
# Buffers whose unsaved changes conflict with the disk.
final conflicts: dict<bool> = {}
# What an autocommand before a write has found: another program has written the file.
var is_overtaken = false
var is_watching = false

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

# Track the state of each file that Vim has last read or written.
export def Watch(on: bool)
  is_watching = on
  filter(states, (_, _) => false)
  augroup claude_ide_disk
    autocmd!
    if on
      autocmd BufReadPost,BufWritePost * MarkRead(str2nr(expand('<abuf>')))
      autocmd BufUnload,BufFilePost * ForgetState(expand('<abuf>'))
      autocmd BufUnload * ForgetConflict(expand('<abuf>'))
    endif
  augroup END
enddef

# Record that a buffer has unsaved changes that are not based on the current text of its file.
export def RememberConflict(bufnr: number)
  conflicts[bufnr] = true
enddef

# Whether such a conflict has been noticed.
export def IsInConflict(bufnr: number): bool
  return has_key(conflicts, bufnr)
enddef

# Whether another program has written the file of a buffer with unsaved changes. True only once per
# write; `IsInConflict` stays true.
export def NoticeConflict(bufnr: number): bool
  const is_new = changed.Probe(bufnr) !=# ''
  if is_new
    RememberConflict(bufnr)
  endif
  return is_new
enddef

# Whether a buffer's file differs from what it was when Vim last read or wrote it, as far as whole
# seconds and sizes tell.
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

# Only for the autocommand. Another program may write the file while autocommands, such as a
# formatter, run before the write: then `:write` would ask the user. Its error cancels the write.
export def Check(bufnr: number)
  if changed.Probe(bufnr) !=# ''
    is_overtaken = true
    RememberConflict(bufnr)
    throw 'claude-ide: the file has changed'
  endif
enddef

# With 'confirm', an error of `:write` would become a dialog. Vim runs autocommands in the order of
# their definition, so that ours is the last one before the write. Returns the reason of a failure.
def WriteWithoutDialog(bufnr: number): string
  const confirm = &confirm
  is_overtaken = false
  augroup claude_ide_write
    execute $'autocmd BufWritePre <buffer={bufnr}> claude_ide#file#write#Check({bufnr})'
  augroup END
  &confirm = false
  const failure = reason.Try(inside.Run, [bufnr, 'silent write'])
  &confirm = confirm
  autocmd! claude_ide_write
  return failure
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
  const was_listed = getbufvar(bufnr, '&buflisted')
  const failure = WriteWithoutDialog(bufnr)
  if bufexists(bufnr)
    # A language server that formats before the write lists the buffer.
    setbufvar(bufnr, '&buflisted', was_listed)
  endif
  if is_overtaken
    return $'{path} {CHANGED}'
  endif
  # An error in an autocommand after the write does not undo it.
  const is_written = was_modified && !getbufvar(bufnr, '&modified')
  return is_written ? '' : failure
enddef
