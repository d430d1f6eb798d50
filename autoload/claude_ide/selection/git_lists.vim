vim9script
# The files that fugitive lists as changed: under the cursor, or in some lines.

import autoload './lines.vim' as rows

# A changed file, or the file of a line of a diff.
export def Fugitive(lines: list<number>): list<any>
  return rows.Collect(lines, (lnum) => {
    # Elsewhere fugitive treats the word under the cursor as a file.
    if getline(lnum) !~# '^\%([A-Z?] \|[ @+-]\)'
      return ''
    endif
    # It knows only the file under the cursor.
    cursor(lnum, 1)
    const path: string = call('fugitive#PorcelainCfile', [])
    return call('g:FugitiveReal', [substitute(path, '\\\(.\)', '\1', 'g')])
  })
enddef

defcompile
