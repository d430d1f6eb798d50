vim9script
# The text that a buffer's unsaved changes are based on.

import autoload '../file/edit.vim'

# That text as a list with it; empty if it is not known. `earlier` serves as the base, too: buffer
# and file derive from it. `is_current` is whether Vim knows the file in its current state.
export def Of(bufnr: number, is_current: bool, earlier: list<list<string>> = []): list<list<string>>
  if !getbufvar(bufnr, '&modified')
    return [getbufline(bufnr, 1, '$')]
  elseif !empty(earlier) || !is_current
    return earlier
  endif
  const text = edit.Read(bufnr)
  return [edit.InBuffer(get(text, 'lines', []))]
enddef

defcompile
