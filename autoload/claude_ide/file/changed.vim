vim9script
# Vim's own check whether another program has changed a file (`FileChangedShell`). It compares
# nanoseconds, which `getftime()` does not return.

import autoload './edit.vim'
import autoload './path.vim' as file

const NO_FILE = -1

var found = '' # `v:fcs_reason` of the current probe
# Buffers whose change Vim has already reported, to an autocommand of the user or of a plugin.
final reported: dict<bool> = {}
# Whether a change that Vim is about to report to the user will be handled without a question.
var TakesOver: func(number): bool = (_) => false
var new: dict<number> = {} # by buffer whose file has not existed, the size last seen

# Only for the autocommand. If only the time has changed, "ask" shows no warning, and makes Vim
# store the new time; otherwise the next `:write` would ask the user.
export def Note()
  found = v:fcs_reason
  v:fcs_choice = found ==# 'time' ? 'ask' : ''
enddef

# Whether a buffer is updated after a change of its file, without a question to the user. It will
# be soon if there has been one.
export def IsTakenOver(bufnr: number): bool
  return TakesOver(bufnr)
enddef

def IsHandledBy(autocommand: dict<any>, bufnr: number, path: string): bool
  const pattern = autocommand.pattern
  if get(autocommand, 'group', '') ==# 'claude_ide_changed'
    return false
  elseif pattern =~# '^<buffer='
    return pattern ==# $'<buffer={bufnr}>'
  endif
  return file.IsMatch(pattern, path)
enddef

# Only for the autocommand. Vim will not report this change again, although a later `:write` would
# ask about it. Without another autocommand, Vim has to ask the user as if there were none, unless
# the change is handled without a question.
export def OnShell(bufnr: number, path: string)
  if v:fcs_reason !=# 'time'
    reported[bufnr] = true
  endif
  if autocmd_get({event: 'FileChangedShell'})
      ->indexof((_, other) => IsHandledBy(other, bufnr, path)) < 0
    const is_written = index(['changed', 'conflict'], v:fcs_reason) >= 0
    const is_ours = is_written && TakesOver(bufnr)
    v:fcs_choice = !is_ours ? 'ask'
      : v:fcs_reason ==# 'changed' && edit.IsTranslated(bufnr) ? 'reload' : ''
  endif
enddef

# Whether Vim has reported a change since the last probe.
def WasReported(bufnr: number): bool
  return has_key(reported, bufnr) && remove(reported, bufnr)
enddef

def CheckTime(bufnr: number, choose: string)
  augroup claude_ide_probe
    execute $'autocmd! FileChangedShell <buffer={bufnr}> claude_ide#file#changed#{choose}()'
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

# Only for the autocommand.
export def Choose()
  v:fcs_choice = {changed: 'reload', time: 'ask'}->get(v:fcs_reason, '')
enddef

# Make Vim read a buffer's file again if it has changed, whatever 'autoread' is. Not for a buffer with
# unsaved changes, which keeps its text.
export def Reread(bufnr: number)
  CheckTime(bufnr, 'Choose')
  Know(bufnr)
enddef

# Make Vim check whether a buffer's file has changed, without a question to the user. Only for
# buffers that Vim does not reload automatically. A change is found only once, also if an
# autocommand of the user has handled it. Returns `v:fcs_reason`, or "changed" in that case; empty
# if nothing, or only the file's time, has changed.
export def Probe(bufnr: number): string
  if getcmdwintype() !=# ''
    # Vim refuses `:checktime` there.
    return ''
  endif
  const size = getfsize(file.Name(bufnr))
  if has_key(new, bufnr)
    # Vim would ask about a file that has been created since, without an autocommand.
    const is_written = size > 0 && size != new[bufnr]
    new[bufnr] = size
    return is_written ? 'changed' : ''
  elseif size == NO_FILE
    return ''
  endif
  found = ''
  CheckTime(bufnr, 'Note')
  const was_reported = WasReported(bufnr)
  return found !=# '' && found !=# 'time' ? found : was_reported ? 'changed' : ''
enddef

# Record that Vim knows a buffer's file.
export def Know(bufnr: number)
  WasReported(bufnr)
  if has_key(new, bufnr)
    new->remove(bufnr)
  endif
enddef

# Note which buffers are loaded without a file, and what Vim reports, or stop. `Handle` returns
# whether it will handle a change of a buffer's file that Vim has found.
export def Watch(on: bool, Handle: func(number): bool)
  new = {}
  TakesOver = Handle
  reported->filter((_, _) => false)
  augroup claude_ide_changed
    autocmd!
    if on
      autocmd BufNewFile * new[expand('<abuf>')] = 0
      autocmd BufReadPost,BufWritePost,BufUnload * Know(str2nr(expand('<abuf>')))
      autocmd FileChangedShell * OnShell(str2nr(expand('<abuf>')), expand('<afile>:p'))
    endif
  augroup END
  if on
    for info in getbufinfo({bufloaded: 1})
      if getfsize(info.name) == NO_FILE
        new[info.bufnr] = 0
      endif
    endfor
  endif
enddef

defcompile
