vim9script
# The files that file trees list: under the cursor, in some lines, or marked. The folder above,
# `..`, is meant only if it is the only line.

import autoload './lines.vim' as rows

def NetrwAt(lnum: number, is_one_of_many: bool): string
  # Moves the cursor. A line has several files only in the wide style.
  if lnum != line('.')
    cursor(lnum, 1)
  endif
  # A line of its banner, and the folder itself.
  const word: string = getline('.') =~# '^"' ? '' : call('netrw#Call', ['NetrwGetWord'])
  if word ==# '' || word ==# './' || (word ==# '../' && is_one_of_many)
    return ''
  endif
  return simplify(call('netrw#Call', ['NetrwFile', word]))
enddef

# Vim's own tree.
export def Netrw(lines: list<number>): list<any>
  # A text if nothing is marked.
  const marked: any = call('netrw#Expose', ['netrwmarkfilelist'])
  if empty(lines) && type(marked) == v:t_list && !empty(marked)
    return marked
  endif
  return rows.Collect(lines, (lnum) => NetrwAt(lnum, get(lines, 0) != get(lines, 1)))
enddef

# dirvish: each line is a path.
export def Dirvish(lines: list<number>): list<any>
  # The marks are an argument list of this window; the global one is not a choice that was made
  # here.
  if empty(lines) && arglistid() != 0 && argc() > 0
    return argv()
  endif
  return rows.Collect(lines, (lnum) => getline(lnum))
enddef

# NERDTree.
export def Nerdtree(lines: list<number>): list<any>
  return rows.Collect(lines, (lnum) => {
    if stridx(getline(lnum), '.. ') == 0 && get(lines, 0) != get(lines, 1)
      return ''
    endif
    const path: dict<any> = b:NERDTree.ui.getPath(lnum)
    return empty(path) ? '' : path.str()
  })
enddef

# A node of another scheme than `file` may have no path.
def FernPath(node: dict<any>): string
  const path: any = get(node, '_path', '')
  return type(path) == v:t_string ? path : ''
enddef

# fern.
export def Fern(lines: list<number>): list<any>
  if empty(lines)
    const marked: list<any> = call('fern#helper#new', []).sync.get_marked_nodes()
    const paths = marked->mapnew((_, node) => FernPath(node))->filter((_, path) => path !=# '')
    if !empty(paths)
      return paths
    endif
  endif
  return rows.Collect(lines, (lnum) =>
    FernPath(get(b:fern.visible_nodes, b:fern.renderer.index(lnum), {})))
enddef

defcompile
