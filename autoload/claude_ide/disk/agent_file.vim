vim9script
# Writes a text that the user has accepted through the buffer of its file, as the user would: changed
# in one undo step, and saved. Unsaved changes stay unsaved.

import autoload '../channel.vim'
import autoload '../file/buffers.vim'
import autoload '../file/edit.vim'
import autoload '../file/gate.vim'
import autoload '../file/path.vim' as file
import autoload '../file/text.vim' as file_text
import autoload '../file/write.vim' as file_write
import autoload '../say/reason.vim'
import autoload '../when/moment.vim'
import autoload './announced.vim'
import autoload './expected.vim'
import autoload './reload.vim'

const POLL = 50 # milliseconds

final waiting: dict<dict<any>> = {} # by token

# A digest of the text of a loaded buffer.
export def Digest(bufnr: number): string
  return sha256(join(file_text.Get(bufnr), "\n"))
enddef

# An option that is set to its own value would mark the buffer as modified, too.
def SetFormat(bufnr: number, format: dict<any>)
  for name in file_text.FORMAT
    if string(getbufvar(bufnr, '&' .. name)) !=# string(format[name])
      setbufvar(bufnr, '&' .. name, format[name])
    endif
  endfor
enddef

def FormatOf(bufnr: number): dict<any>
  final format: dict<any> = {}
  for name in file_text.FORMAT
    format[name] = getbufvar(bufnr, '&' .. name)
  endfor
  return format
enddef

# Put a text into a buffer, and save it unless it had unsaved changes. Returns the refusal.
def Put(bufnr: number, text: list<string>): string
  const before = getbufline(bufnr, 1, '$')
  const format = FormatOf(bufnr)
  const was_modified: bool = getbufvar(bufnr, '&modified')
  const parsed = edit.OfBytes(bufnr, text)
  edit.Change(bufnr, parsed.lines)
  SetFormat(bufnr, parsed)
  const refusal = was_modified ? '' : file_write.Write(bufnr)
  if refusal !=# ''
    edit.Change(bufnr, before)
    SetFormat(bufnr, format)
    setbufvar(bufnr, '&modified', file_write.IsDamaged())
    const known = expected.Of(bufnr)
    if file_write.IsDamaged() && !empty(known)
      # It must not follow what is on the disk as if that were the accepted text.
      expected.Forget(known)
    endif
    reload.SyncOne(bufnr)
  endif
  return refusal
enddef

# The answer; empty if the write has to wait.
def Attempt(write: dict<any>): dict<any>
  const bufnr = buffers.Loaded(write.path)
  const turned = file.Turned(write.path, write.target)
  if turned !=# ''
    return {error: turned}
  elseif bufnr == 0
    return {is_unloaded: true}
  elseif !moment.MayChange(bufnr)
    return {}
  elseif !getbufvar(bufnr, '&modified')
    if getbufvar(bufnr, '&readonly') || !getbufvar(bufnr, '&modifiable')
      return {is_unloaded: true}
    endif
    reload.SyncOne(bufnr)
  endif
  if Digest(bufnr) !=# write.approved
    return {bufnr: bufnr}
  endif
  const text = split(write.text, "\n", true)
  const refusal = Put(bufnr, text)
  if refusal !=# ''
    return {error: refusal}
  endif
  final answer: dict<any> = getbufvar(bufnr, '&modified') ? {is_unsaved: true} : {is_saved: true}
  return file_text.Get(bufnr) ==# text ? answer : extend(answer, {saved: true})
enddef

def Try(token: number)
  if !has_key(waiting, token)
    return
  endif
  const attempted = reason.Attempt(Attempt, [waiting[token]])
  const answer: dict<any> = attempted[0] ? attempted[1] : {error: attempted[1]}
  if empty(answer)
    timer_start(POLL, (_) => Try(token))
    return
  endif
  waiting->remove(string(token))
  channel.Emit('answered', extendnew({token: token}, answer))
enddef

# Called by the host: write a file through its buffer, as soon as this does not disturb the user.
# `approved` is the digest of the text that the user has compared with the new one; `target` is the path
# without links, which they have seen.
#
# Emits `answered` {token}; with `saved` if the file has another text now, such as a formatted one;
# `is_unsaved` if the text is only in the buffer, which had unsaved changes; `is_unloaded` if the
# buffer cannot be changed; `bufnr` if it has another text than the approved one; or `error`.
# Returns {error} if the file must not be written.
export def Open(token: number, path: string, text: string, agent: string, _: any,
    approved: string, target: string): dict<any>
  const checked = gate.Check(path)
  if has_key(checked, 'refusal')
    return {error: checked.refusal}
  endif
  announced.Add(checked.path, agent)
  waiting[token] = {path: checked.path, target: target, text: text, approved: approved}
  Try(token)
  return {}
enddef

# Give up a write that still waits.
export def Close(token: number): bool
  if has_key(waiting, token)
    waiting->remove(string(token))
  endif
  return true
enddef

defcompile
