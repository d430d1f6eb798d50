vim9script
# Finds the lines of a buffer without a file that quote private files: those of a quickfix window,
# and lists of other plugins.

import autoload '../privacy.vim'

# The entry in a line of a quickfix window; empty if it is unknown.
def Entry(bufnr: number, line: number): dict<any>
  if getqflist({qfbufnr: 0}).qfbufnr == bufnr
    return getqflist({idx: line, items: 0}).items->get(0, {})
  endif
  const win = win_findbuf(bufnr)->get(0, 0)
  return win > 0 ? getloclist(win, {idx: line, items: 0})->get('items', [])->get(0, {}) : {}
enddef

# Whether a line of a buffer, with this text, quotes a private file.
export def IsPrivate(bufnr: number, line: number, text: string): bool
  const buftype = getbufvar(bufnr, '&buftype')
  if buftype ==# '' || text ==# ''
    return false
  elseif buftype !=# 'quickfix' || privacy.IsNamed(text)
    return privacy.IsNamed(text)
  endif
  const entry = Entry(bufnr, line)
  return empty(entry) || (entry.bufnr > 0 && privacy.OfBuffer(entry.bufnr) !=# '')
enddef

defcompile
