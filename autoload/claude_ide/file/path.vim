vim9script
# Decides which buffers hold a file, and finds the path of that file.

# Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet.
# Other buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
export def IsHeld(name: string, buftype: string, filetype: string): bool
  return buftype ==# ''
    && name !=# ''
    && (stridx(name, '://') < 0 || name !~# '^\a[[:alnum:]_+.-]*://')
    && filetype !=# 'netrw'
    && !isdirectory(name)
enddef

# By buffer: its full `name` and number of `lines`, and what they were found for.
final infos: dict<dict<any>> = {}

# The full name of a buffer and its number of lines, 0 unless it is loaded: {name, lines}. Only
# getbufinfo() knows them, which lists every sign of the buffer, too, so that they are kept.
export def Info(bufnr: number): dict<any>
  # The short name means another file in another folder.
  const name = fnamemodify(bufname(bufnr), ':p')
  const state = [name, bufloaded(bufnr), getbufvar(bufnr, 'changedtick', 0)]
  const known = get(infos, bufnr, {})
  if !empty(known) && known.state == state
    return known
  endif
  const found = getbufinfo(bufnr)
  if empty(found)
    return {name: '', lines: 0}
  endif
  const lines = bufloaded(bufnr) ? found[0].linecount : 0
  infos[bufnr] = {name: found[0].name, lines: lines, state: state}
  return infos[bufnr]
enddef

# The full name of a buffer; empty if it has none, or if there is no such buffer.
export def Name(bufnr: number): string
  return Info(bufnr).name
enddef

# The numbers of all loaded buffers.
export def Loaded(): list<number>
  return range(1, bufnr('$'))->filter((_, bufnr) => bufloaded(bufnr))
enddef

# The absolute path of the file that a buffer holds; empty for a buffer of another kind.
export def Path(bufnr: number): string
  const name = Name(bufnr)
  const is_held = IsHeld(name, getbufvar(bufnr, '&buftype'), getbufvar(bufnr, '&filetype'))
  return is_held ? name : ''
enddef

# The same; empty for a buffer that is not loaded, too.
export def LoadedPath(bufnr: number): string
  return bufloaded(bufnr) ? Path(bufnr) : ''
enddef

# The numbers of all loaded buffers that hold files.
export def LoadedFiles(): list<number>
  return Loaded()->filter((_, bufnr) => Path(bufnr) !=# '')
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

# Whether the pattern of an autocommand is for a path, as Vim decides it.
export def IsMatch(pattern: string, path: string): bool
  const name = pattern =~# '/' ? path : fnamemodify(path, ':t')
  return name =~# glob2regpat(pattern)
enddef

defcompile
