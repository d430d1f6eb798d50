vim9script
# Closes windows, and keeps Vim's last window open.

import autoload './recent.vim'
import autoload './tiling.vim'

# Whether a window is Vim's only one.
def IsLast(win: number): bool
  return tabpagenr('$') == 1 && tiling.Windows(1) == [win]
enddef

def IsFile(bufnr: number): bool
  return buflisted(bufnr) && getbufvar(bufnr, '&buftype') ==# '' && bufname(bufnr) !=# ''
enddef

# An empty buffer like the one that Vim starts with.
def Blank(): number
  for info in getbufinfo({buflisted: 1})
    if info.name ==# '' && !info.changed && getbufvar(info.bufnr, '&buftype') ==# ''
      return info.bufnr
    endif
  endfor
  const bufnr = bufadd('')
  setbufvar(bufnr, '&buflisted', true)
  return bufnr
enddef

# The buffer that replaces a window's own: its alternate file, else the most recently used file,
# else an empty buffer.
export def Replacement(win: number): number
  const current = winbufnr(win)
  const alternate = str2nr(trim(win_execute(win, 'echo bufnr("#")')))
  if alternate > 0 && alternate != current && IsFile(alternate)
    return alternate
  endif
  const others = range(1, bufnr('$'))->filter((_, bufnr) => bufnr != current && IsFile(bufnr))
  return empty(others) ? Blank() : recent.Sort(others)[0]
enddef

# Close a window if it still exists and is not Vim's last one; never one whose unsaved changes would
# be lost. With 'equalalways' all others would become equal in size.
export def Window(win: number)
  if !tiling.Has(win) || IsLast(win)
    return
  endif
  const equalalways = &equalalways
  &equalalways = false
  try
    win_execute(win, 'close')
  finally
    &equalalways = equalalways
  endtry
enddef

defcompile
