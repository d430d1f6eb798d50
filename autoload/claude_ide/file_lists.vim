" Buffers that list files, by filetype, for both editors: which of the files a mention means. `lines` are those
" of the command's range, or []: then those files are meant that are marked, otherwise the one under the
" cursor. Each is a path, or a dictionary with `path` and perhaps `first` and `last` (lines from 1, inclusive).
" The folder above, `..`, is meant only if it is the only line. The caller restores the cursor.

" The items that `At` returns for each line, without empty ones.
function s:collect(lines, At) abort
  let [l:first, l:last] = empty(a:lines) ? [line('.'), line('.')] : a:lines
  return filter(map(range(l:first, l:last), {_, lnum -> a:At(lnum)}), {_, item -> !empty(item)})
endfunction

function s:is_one_of_many(lines) abort
  return get(a:lines, 0) != get(a:lines, 1)
endfunction

" A changed file, or the file of a line of a diff. Elsewhere fugitive takes the word under the cursor for a file.
function s:fugitive_at(lnum) abort
  if getline(a:lnum) !~# '^\%([A-Z?] \|[ @+-]\)'
    return ''
  endif
  " It knows only the file under the cursor.
  call cursor(a:lnum, 1)
  return FugitiveReal(substitute(fugitive#PorcelainCfile(), '\\\(.\)', '\1', 'g'))
endfunction

function claude_ide#file_lists#fugitive(lines) abort
  return s:collect(a:lines, function('s:fugitive_at'))
endfunction

" Moves the cursor. A line has several files only in the wide style.
function s:netrw_at(is_one_of_many, lnum) abort
  if a:lnum != line('.')
    call cursor(a:lnum, 1)
  endif
  " A line of its banner, and the folder itself.
  let l:word = getline('.') =~# '^"' ? '' : netrw#Call('NetrwGetWord')
  if l:word ==# '' || l:word ==# './' || (l:word ==# '../' && a:is_one_of_many)
    return ''
  endif
  return simplify(netrw#Call('NetrwFile', l:word))
endfunction

function claude_ide#file_lists#netrw(lines) abort
  " A text if nothing is marked.
  let l:marked = netrw#Expose('netrwmarkfilelist')
  return empty(a:lines) && type(l:marked) == v:t_list && !empty(l:marked) ? l:marked
        \ : s:collect(a:lines, function('s:netrw_at', [s:is_one_of_many(a:lines)]))
endfunction

" The marks are an argument list of this window; the global one is not a choice that was made here.
function claude_ide#file_lists#dirvish(lines) abort
  return empty(a:lines) && arglistid() != 0 && argc() > 0 ? argv()
        \ : s:collect(a:lines, function('getline'))
endfunction

function s:nerdtree_at(is_one_of_many, lnum) abort
  if stridx(getline(a:lnum), '.. ') == 0 && a:is_one_of_many
    return ''
  endif
  let l:path = b:NERDTree.ui.getPath(a:lnum)
  return empty(l:path) ? '' : l:path.str()
endfunction

function claude_ide#file_lists#nerdtree(lines) abort
  return s:collect(a:lines, function('s:nerdtree_at', [s:is_one_of_many(a:lines)]))
endfunction

" A node of another scheme than `file` may have no path.
function s:fern_path(node) abort
  let l:path = get(a:node, '_path', '')
  return type(l:path) == v:t_string ? l:path : ''
endfunction

function claude_ide#file_lists#fern(lines) abort
  let l:nodes = empty(a:lines) ? fern#helper#new().sync.get_marked_nodes() : []
  let l:marked = filter(map(copy(l:nodes), {_, node -> s:fern_path(node)}), {_, path -> path !=# ''})
  return !empty(l:marked) ? l:marked : s:collect(a:lines,
        \ {lnum -> s:fern_path(get(b:fern.visible_nodes, b:fern.renderer.index(lnum), {}))})
endfunction

" The entries of a quickfix or location list.
function claude_ide#file_lists#qf(lines) abort
  let l:items = getwininfo(win_getid())[0].loclist ? getloclist(0) : getqflist()
  return map(filter(s:collect(a:lines, {lnum -> get(l:items, lnum - 1, {})}), {_, item -> item.bufnr > 0}),
        \ {_, item -> {'path': getbufinfo(item.bufnr)[0].name, 'first': item.lnum, 'last': get(item, 'end_lnum')}})
endfunction
