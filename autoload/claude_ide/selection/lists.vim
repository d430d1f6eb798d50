vim9script
# The files, and the lines in them, that a list shows: under the cursor, or in some lines.

import autoload '../file/path.vim' as file
import autoload './lines.vim' as rows

# The entries of a quickfix or location list.
export def Quickfix(lines: list<number>): list<any>
  const is_location_list = getwininfo(win_getid())[0].loclist == 1
  const items = is_location_list ? getloclist(0) : getqflist()
  return rows.Collect(lines, (lnum) => {
    const item = get(items, lnum - 1, {bufnr: 0})
    return item.bufnr == 0 ? {}
      : {path: file.Name(item.bufnr), first: item.lnum, last: get(item, 'end_lnum', 0)}
  })
enddef

defcompile
