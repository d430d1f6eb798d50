vim9script
# The model's questions about the quickfix and location lists.

import autoload './bounded.vim'

def Described(entry: dict<any>): dict<any>
  const path = entry.bufnr > 0 ? fnamemodify(bufname(entry.bufnr), ':p') : ''
  var column: number = entry.col
  if entry.bufnr > 0 && bufloaded(entry.bufnr) && entry.lnum > 0 && column > 0 && entry.vcol == 0
    const text = getbufline(entry.bufnr, entry.lnum)->get(0, '')
    column = strpart(text, 0, column - 1)->strchars() + 1
  endif
  return {
    path: path,
    line: entry.lnum,
    column: column,
    kind: entry.type,
    text: bounded.Line(entry.text),
    is_valid: entry.valid == 1,
  }
enddef

# Entries of the quickfix list, or of the location list of the current window.
export def Quickfix(arguments: dict<any>): dict<any>
  const what = {title: 0, idx: 0, size: 0, items: 0}
  const list = arguments.list ==# 'location' ? getloclist(0, what) : getqflist(what)
  const last: number = arguments.offset + arguments.limit - 1
  const part: list<dict<any>> = list.items[arguments.offset : last]
  return {
    title: list.title,
    total: list.size,
    current: list.idx,
    entries: part->mapnew((_, entry) => Described(entry)),
  }
enddef

defcompile
