vim9script
# Lines of loaded buffers, saved or not, for the host, which reads other files from the disk.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload '../file/buffers.vim'

# Rows of files, from 0: for each `{path, rows}` the lines in this order, empty for one that is not there;
# false for a file that is not loaded.
export def Loaded(wanted: list<dict<any>>): list<any>
  return wanted->mapnew((_, each) => {
    const bufnr = buffers.Loaded(each.path)
    return bufnr > 0
      ? each.rows->mapnew((_, row) => bounded.Visible(place.Line(bufnr, row + 1)))
      : false
  })
enddef

defcompile
