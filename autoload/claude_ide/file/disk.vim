vim9script
# What Vim knows of the files of buffers: their states on disk, whether 'autoread' follows them, and
# whether other programs have written them. Writes buffers as the user would, but never over such a
# write.
#
# Vim's own check whether another program has changed a file (`FileChangedShell`) compares
# nanoseconds. Stamps do not: Vim returns a file's time in whole seconds, so that a change within the
# same second that keeps the size changes no stamp.

import autoload './edit.vim'
import autoload './path.vim' as file
import autoload '../window/inside.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

const CHANGED = 'has changed on disk since Vim read it; it was not written.'
const MISSING = 'missing' # the stamp of a file that does not exist
const NO_FILE = -1
const UNSET = -1

# What is known of a buffer's file:
#
# - `stamp` when Vim last read or wrote it
# - `new_size`: if the file has not existed, the size last seen
# - `is_reported`: Vim has already reported a change, to an autocommand of the user or of a plugin
# - `has_conflict`: the buffer's text is not based on what is on disk
final states: dict<dict<any>> = {}
# By buffer, its local value of 'autoread'.
final suspended: dict<number> = {}
# Whether the user has set the global value by a typed command, of which Vim keeps no record.
var was_typed = false

var found = '' # `v:fcs_reason` of the current probe
# Whether a change that Vim is about to report to the user will be handled without a question.
var TakesOver: func(number): bool = (_) => false
# Whether `FileChangedShellPost` tells of a text that we have read.
var is_reporting = false
var is_writing = false
# Whether another program has written the file while autocommands ran before a write.
var is_overtaken = false
# Whether the last write has failed after it had changed the file.
var is_damaged = false

# The stamp of the file at a path.
export def Stamp(path: string): string
  return getftype(path) ==# '' ? MISSING : $'{getftime(path)} {getfsize(path)}'
enddef

def StateOf(bufnr: number): dict<any>
  if !has_key(states, bufnr)
    states[bufnr] = {}
  endif
  return states[bufnr]
enddef

# Vim9 script shows "unset" as true. Where the global value is on, too, the two need not be told
# apart.
def OwnAutoread(bufnr: number): number
  if !getbufvar(bufnr, '&l:autoread')
    return 0
  endif
  return getbufvar(bufnr, '&autoread') && !&g:autoread ? 1 : UNSET
enddef

# Only for the autocommand, which `plugin/claude_ide.vim` defines: the user may set the option before
# a server starts.
export def NoteTyped()
  was_typed = was_typed || v:option_command ==# 'set' || v:option_command ==# 'setglobal'
enddef

# Whether the user wants buffers to follow their files: unless 'autoread' is switched off. Off is Vim's
# default; only users who have switched it off do not want their files to be followed. Under the value,
# `:verbose` names the script that has set it.
export def IsAutoread(bufnr: number): bool
  const own = has_key(suspended, bufnr) ? suspended[bufnr] : OwnAutoread(bufnr)
  return own != UNSET ? own == 1 : &g:autoread
    || (!was_typed && execute('verbose setglobal autoread?')->split("\n")->len() == 1)
enddef

# Keep Vim from reloading a buffer automatically, until `ResumeAutoread`.
export def SuspendAutoread(bufnr: number)
  suspended[bufnr] = OwnAutoread(bufnr)
  setbufvar(bufnr, '&autoread', 0)
enddef

# Restore the user's setting. A value that the user has set in the meantime stays.
export def ResumeAutoread(bufnr: number)
  if has_key(suspended, bufnr)
    const own = remove(suspended, string(bufnr))
    if bufexists(bufnr) && !getbufvar(bufnr, '&l:autoread')
      setbufvar(bufnr, '&autoread', own)
    endif
  endif
enddef

# Whether a buffer is updated after a change of its file, without a question to the user. It will
# be soon if there has been one.
export def IsTakenOver(bufnr: number): bool
  return TakesOver(bufnr)
enddef

def IsHandledBy(autocommand: dict<any>, bufnr: number, path: string): bool
  const pattern = autocommand.pattern
  return get(autocommand, 'group', '') !=# 'claude_ide_disk'
    && (pattern =~# '^<buffer=' ? pattern ==# $'<buffer={bufnr}>' : file.IsMatch(pattern, path))
enddef

# Vim will not report this change again, although a later `:write` would ask about it. Without another
# autocommand, Vim has to ask the user as if there were none, unless the change is handled without a
# question.
def OnShell(bufnr: number, path: string)
  if v:fcs_reason !=# 'time'
    extend(StateOf(bufnr), {is_reported: true})
  endif
  if autocmd_get({event: 'FileChangedShell'})
      ->indexof((_, other) => IsHandledBy(other, bufnr, path)) < 0
    const is_written = index(['changed', 'conflict'], v:fcs_reason) >= 0
    v:fcs_choice = !is_written || !TakesOver(bufnr) ? 'ask'
      : v:fcs_reason ==# 'changed' && edit.IsTranslated(bufnr) ? 'reload' : ''
  endif
enddef

# If only the time has changed, "ask" shows no warning, and makes Vim store the new time; otherwise the next
# `:write` would ask the user.
def Note(at_change: string)
  found = v:fcs_reason
  v:fcs_choice = {time: 'ask', changed: at_change}->get(found, '')
enddef

# Make Vim check a buffer's file. `at_change` is its choice for an unmodified buffer whose file has changed.
def CheckTime(bufnr: number, at_change: string)
  found = ''
  augroup claude_ide_probe
    execute $'autocmd! FileChangedShell <buffer={bufnr}> Note("{at_change}")'
    # In an autocommand that is not nested, such as that of `:w` in a proposal, Vim would run none for the
    # change, and ask a question that `silent` hides.
    execute $'autocmd! User probe ++nested silent checktime {bufnr}'
  augroup END
  try
    doautocmd <nomodeline> claude_ide_probe User probe
  finally
    autocmd! claude_ide_probe
  endtry
enddef

# Make Vim read a buffer's file again if it has changed, whatever 'autoread' is. Not for a buffer with
# unsaved changes, which keeps its text.
export def Reread(bufnr: number)
  CheckTime(bufnr, 'reload')
  MarkRead(bufnr)
enddef

# Make Vim check whether a buffer's file has changed, without a question to the user. Only for
# buffers that Vim does not reload automatically. A change is found only once, also if an
# autocommand of the user has handled it. Returns whether more than the file's time has changed.
export def Probe(bufnr: number): bool
  if getcmdwintype() !=# ''
    # Vim refuses `:checktime` there.
    return false
  endif
  const size = getfsize(file.Name(bufnr))
  final state = StateOf(bufnr)
  if has_key(state, 'new_size')
    # Vim would ask about a file that has been created since, without an autocommand.
    const is_written = size > 0 && size != state.new_size
    state.new_size = size
    return is_written
  elseif size == NO_FILE
    return false
  endif
  CheckTime(bufnr, '')
  const was_reported = StateOf(bufnr)->get('is_reported', false)
  extend(StateOf(bufnr), {is_reported: false})
  return (found !=# '' && found !=# 'time') || was_reported
enddef

# Record that a buffer holds the text of its file, and that Vim knows this.
export def MarkRead(bufnr: number)
  states[bufnr] = {stamp: Stamp(file.Name(bufnr))}
enddef

# The stamp of a buffer's file when Vim last read or wrote it; empty if that is unknown.
export def ReadStamp(bufnr: number): string
  return get(states, bufnr, {})->get('stamp', '')
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

# A new buffer, or one that gets another name, has not read the file with this name.
def OnEvent(event: string, bufnr: number)
  if event ==# 'BufUnload'
    states[bufnr] = {}
  elseif event ==# 'BufNewFile'
    extend(StateOf(bufnr), {stamp: MISSING, new_size: 0})
  elseif event ==# 'BufFilePost'
    extend(StateOf(bufnr), {stamp: MISSING})
  else
    MarkRead(bufnr)
  endif
enddef

# Track the state of each file that Vim has last read or written, and what it reports, or stop.
# `Handle` returns whether it will handle a change of a buffer's file that Vim has found.
export def Watch(on: bool, Handle: func(number): bool)
  TakesOver = Handle
  filter(states, (_, _) => false)
  augroup claude_ide_disk
    autocmd!
    if on
      for event in ['BufNewFile', 'BufReadPost', 'BufWritePost', 'BufFilePost', 'BufUnload']
        execute $'autocmd {event} * OnEvent("{event}", str2nr(expand("<abuf>")))'
      endfor
      autocmd FileChangedShell * OnShell(str2nr(expand('<abuf>')), expand('<afile>:p'))
      autocmd FileChangedShellPost * NoteAnswer(str2nr(expand('<abuf>')))
    endif
  augroup END
  for bufnr in on ? file.Loaded() : []
    MarkRead(bufnr)
    if getfsize(file.Name(bufnr)) == NO_FILE
      states[bufnr].new_size = 0
    endif
  endfor
enddef

# Whether another program has written the file of a buffer that a command of the user is about to write, as far
# as whole seconds and sizes tell: Vim does not look while it writes.
export def IsInTheWay(bufnr: number): bool
  const now = Stamp(file.Name(bufnr))
  return !is_writing && now !=# MISSING && StateOf(bufnr)->get('stamp', now) !=# now
enddef

# Record that a buffer's text is not based on the current text of its file.
export def RememberConflict(bufnr: number)
  extend(StateOf(bufnr), {has_conflict: true})
enddef

# Whether a buffer has such a conflict.
export def IsInConflict(bufnr: number): bool
  return get(states, bufnr, {})->get('has_conflict', false)
enddef

# Whether another program has written the file of a buffer. True only once per write;
# `IsInConflict` stays true until the buffer holds the new text.
export def NoticeConflict(bufnr: number): bool
  const is_new = Probe(bufnr)
  if is_new
    RememberConflict(bufnr)
  endif
  return is_new
enddef

# Whether another program has written the file of a buffer since Vim last read or wrote it, as far as whole
# seconds and sizes tell, or Vim itself finds; also whether Vim has never read it.
export def HasChanged(bufnr: number): bool
  const name = file.Name(bufnr)
  const now = Stamp(name)
  if now ==# MISSING
    return false
  elseif IsInConflict(bufnr) || StateOf(bufnr)->get('stamp', now) !=# now
    return true
  elseif NoticeConflict(bufnr)
    message.Show($'{fnamemodify(name, ":t")} has changed on disk, too; `:w` asks', 'warn')
    return true
  endif
  return false
enddef

# Write without a question. `:write`, also with `!`, asks when it finds that the file has changed,
# and `:silent` hides the question. Another program may change it while autocommands such as a
# formatter run, and Vim cannot check it while it writes, so these run first. With 'confirm', an
# error would become a dialog. Throws if it fails.
def WriteWithoutDialog(bufnr: number)
  const settings = [&confirm, &eventignore]
  const target = file.Resolved(file.Name(bufnr))
  is_writing = true
  &confirm = false
  try
    inside.Run(bufnr, 'silent doautocmd <nomodeline> BufWritePre')
    is_overtaken = NoticeConflict(bufnr) || file.Resolved(file.Name(bufnr)) !=# target
    if !is_overtaken
      # An autocommand may have kept a change to itself that shows in no stamp.
      edit.MarkWritten(bufnr)
      setbufvar(bufnr, '&modified', true)
      set eventignore+=BufWritePre
      inside.Run(bufnr, 'silent write!')
    endif
  finally
    is_writing = false
    [&confirm, &eventignore] = settings
  endtry
enddef

# Write a loaded buffer if it has unsaved changes or its file does not exist. Returns why it was not
# written, as one sentence; empty if it was.
export def Write(bufnr: number): string
  const path = file.Name(bufnr)
  const type = file.TypeOf(path)
  const was_modified = getbufvar(bufnr, '&modified')
  if !was_modified && type !=# ''
    return ''
  elseif type !=# '' && type !=# 'file'
    # Writing to a pipe might never end.
    return $'{path}: no longer a regular file; it was not written.'
  elseif HasChanged(bufnr)
    # `:write` would ask "really write?", and the keys that the user is typing would answer it.
    return $'{path} {CHANGED}'
  elseif getbufvar(bufnr, '&readonly')
    return $'{path}: the option readonly is set; it was not written.'
  elseif type !=# '' && !filewritable(path)
    return $'{path}: the file is read-only; it was not written.'
  endif
  const was_listed = getbufvar(bufnr, '&buflisted')
  is_overtaken = false
  const bytes = edit.Bytes(bufnr)
  const failure = reason.Try(WriteWithoutDialog, [bufnr])
  if bufexists(bufnr)
    # A language server that formats before the write lists the buffer.
    setbufvar(bufnr, '&buflisted', was_listed)
  endif
  # An error in an autocommand after the write does not undo it.
  const is_written = was_modified && !getbufvar(bufnr, '&modified')
  is_damaged = !is_overtaken && !is_written && edit.Bytes(bufnr) !=# bytes
  return is_overtaken ? $'{path} {CHANGED}' : is_written ? '' : failure
enddef

# Whether the last `Write` has failed after it had changed the file: only the buffer still has the text.
export def IsDamaged(): bool
  return is_damaged
enddef

defcompile
