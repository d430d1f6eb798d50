vim9script
# Buffers that list files, by filetype: which of the files a mention refers to.
#
# A source gets the lines of the command's range, or [], and returns the files of these lines of the
# current buffer; without lines, those that are marked, otherwise the one under the cursor. Each is
# a path, or a dictionary with `path` and perhaps `first` and `last` (lines from 1, inclusive; 0 for
# none).

import autoload '../file/path.vim' as file
import autoload '../messages/reason.vim'

# The items that `At` returns for each line, without empty ones. Without a range ([]), the cursor's
# line is meant.
def Collect(lines: list<number>, At: func(number): any): list<any>
  const [first, last] = empty(lines) ? [line('.'), line('.')] : lines
  return range(first, last)->mapnew((_, lnum) => At(lnum))->filter((_, item) => !empty(item))
enddef

# A changed file, or the file of a line of a diff.
def Fugitive(lines: list<number>): list<any>
  return Collect(lines, (lnum) => {
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
def Netrw(lines: list<number>): list<any>
  # A text if nothing is marked.
  const marked: any = call('netrw#Expose', ['netrwmarkfilelist'])
  if empty(lines) && type(marked) == v:t_list && !empty(marked)
    return marked
  endif
  return Collect(lines, (lnum) => NetrwAt(lnum, get(lines, 0) != get(lines, 1)))
enddef

# dirvish: each line is a path.
def Dirvish(lines: list<number>): list<any>
  # The marks are an argument list of this window; the global one is not a choice that was made
  # here.
  if empty(lines) && arglistid() != 0 && argc() > 0
    return argv()
  endif
  return Collect(lines, (lnum) => getline(lnum))
enddef

# NERDTree.
def Nerdtree(lines: list<number>): list<any>
  return Collect(lines, (lnum) => {
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
def Fern(lines: list<number>): list<any>
  if empty(lines)
    const marked: list<any> = call('fern#helper#new', []).sync.get_marked_nodes()
    const paths = marked->mapnew((_, node) => FernPath(node))->filter((_, path) => path !=# '')
    if !empty(paths)
      return paths
    endif
  endif
  return Collect(lines, (lnum) =>
    FernPath(get(b:fern.visible_nodes, b:fern.renderer.index(lnum), {})))
enddef

# The entries of a quickfix or location list.
def Quickfix(lines: list<number>): list<any>
  const is_location_list = getwininfo(win_getid())[0].loclist == 1
  const items = is_location_list ? getloclist(0) : getqflist()
  return Collect(lines, (lnum) => {
    const item = get(items, lnum - 1, {bufnr: 0})
    return item.bufnr == 0 ? {}
      : {path: file.Name(item.bufnr), first: item.lnum, last: get(item, 'end_lnum', 0)}
  })
enddef

const SOURCES: dict<func> = {
  dirvish: (lines) => Dirvish(lines),
  fern: (lines) => Fern(lines),
  fugitive: (lines) => Fugitive(lines),
  nerdtree: (lines) => Nerdtree(lines),
  netrw: (lines) => Netrw(lines),
  qf: (lines) => Quickfix(lines),
}

# What the user means in the current buffer, as its source returns it: `items`, or an `error`; empty if files
# are not listed in it. `lines` has the range of the command, if it has one. The host makes mentions of it
# (`Listed` in `editor/mentioning.py`).
export def Listed(lines: list<number>): dict<any>
  const filetype = &filetype
  if !has_key(SOURCES, filetype)
    return {}
  endif
  # A source may move the cursor; an error in another plugin must not become ours.
  const view = winsaveview()
  const [succeeded, found] = reason.Attempt(SOURCES[filetype], [lines])
  winrestview(view)
  return {filetype: filetype, in_lines: !empty(lines)}
    ->extend(succeeded ? {items: found} : {error: found})
enddef

defcompile
