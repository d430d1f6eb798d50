vim9script
# Vim's own check whether another program has changed a file (`FileChangedShell`). It compares
# nanoseconds, which `getftime()` does not return.

import autoload './path.vim' as file

const NO_FILE = -1

var found = '' # `v:fcs_reason` of the current probe
var new: dict<number> = {} # by buffer whose file has not existed, the size last seen

# Only for the autocommand. If only the time has changed, "ask" shows no warning, and makes Vim
# store the new time; otherwise the next `:write` would ask the user.
export def Note()
  found = v:fcs_reason
  v:fcs_choice = found ==# 'time' ? 'ask' : ''
enddef

# Make Vim check whether a buffer's file has changed, without asking the user. Only for
# buffers that Vim does not reload automatically. Vim reports each change only once. Returns
# `v:fcs_reason`; empty if nothing, or only the file's time, has changed.
export def Probe(bufnr: number): string
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
  augroup claude_ide_probe
    execute $'autocmd! FileChangedShell <buffer={bufnr}> claude_ide#file#changed#Note()'
  augroup END
  try
    execute $'silent checktime {bufnr}'
  finally
    execute $'autocmd! claude_ide_probe FileChangedShell <buffer={bufnr}>'
  endtry
  return found ==# 'time' ? '' : found
enddef

# Record that Vim knows a buffer's file.
export def Know(bufnr: number)
  if has_key(new, bufnr)
    new->remove(bufnr)
  endif
enddef

# Note which buffers are loaded without a file, or stop.
export def Watch(on: bool)
  new = {}
  augroup claude_ide_changed
    autocmd!
    if on
      autocmd BufNewFile * new[expand('<abuf>')] = 0
      autocmd BufReadPost,BufWritePost,BufUnload * Know(str2nr(expand('<abuf>')))
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
