vim9script
# Decides which buffers hold a file, and finds the path of that file.

# Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet.
# Other buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
export def IsHeld(name: string, buftype: string, filetype: string): bool
  return buftype ==# ''
    && name !=# ''
    && name !~# '^\a[[:alnum:]_+.-]*://'
    && filetype !=# 'netrw'
    && !isdirectory(name)
enddef

# The full name of a buffer; empty if it has none, or if there is no such buffer.
export def Name(bufnr: number): string
  return getbufinfo(bufnr)->get(0, {name: ''}).name
enddef

# The absolute path of the file that a buffer holds; empty for a buffer of another kind.
export def Path(bufnr: number): string
  const name = Name(bufnr)
  const is_held = IsHeld(name, getbufvar(bufnr, '&buftype'), getbufvar(bufnr, '&filetype'))
  return is_held ? name : ''
enddef

# A path without links, also if its file does not exist; unchanged if its links never end.
export def Resolved(path: string): string
  try
    return resolve(path)
  catch /E655:/
    # The links lead in a circle.
  endtry
  return path
enddef

# Why a file must not be written: its path no longer leads to `target`, where it led when somebody looked at
# it, without links. Empty if it still does.
export def Turned(path: string, target: string): string
  return Resolved(path) ==# target ? ''
    : $'{path}: a link on its path has changed since it was shown; it was not written.'
enddef

# Whether the pattern of an autocommand is for a path, as Vim decides it.
export def IsMatch(pattern: string, path: string): bool
  const name = pattern =~# '/' ? path : fnamemodify(path, ':t')
  return name =~# glob2regpat(pattern)
enddef

defcompile
