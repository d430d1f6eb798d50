vim9script
# The buffers that hold files.

import autoload '../file/edit.vim'

# The absolute path of the file that a loaded buffer holds; empty for a buffer of another kind.
export def Path(bufnr: number): string
  const name = bufname(bufnr)
  const is_file = bufloaded(bufnr) && name !=# '' && getbufvar(bufnr, '&buftype') ==# ''
    && name !~# '^\a[[:alnum:]+.-]*://' && getbufvar(bufnr, '&filetype') !=# 'netrw'
  return is_file && !isdirectory(name) ? edit.PathOf(bufnr) : ''
enddef

# The numbers of all loaded buffers that hold files.
export def All(): list<number>
  return getbufinfo({bufloaded: 1})->mapnew((_, info) => info.bufnr)->filter((_, bufnr) => Path(bufnr) !=# '')
enddef

# The number of the loaded buffer of a file, however its path is spelled; 0 if there is none.
export def Loaded(path: string): number
  const found = All()
  const same = found->indexof((_, bufnr) => Path(bufnr) ==# path)
  if same >= 0
    return found[same]
  endif
  const real = resolve(path)
  const index = found->indexof((_, bufnr) => resolve(Path(bufnr)) ==# real)
  return index >= 0 ? found[index] : 0
enddef
