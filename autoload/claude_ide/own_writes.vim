" Files that the user writes in the editor, which an agent's command has not changed, in both editors. An autosave whose
" autocommand is not nested runs no `BufWritePost`: what it writes is known by the buffer's undo tree.

let s:most_bytes = 10000000 " of a file that is compared with its buffer
let s:written = {} " stamps by real path
let s:tree = {} " the undo tree of the buffer that was looked at last
let s:adopted = {} " by buffer, the number of the last write of its text that was none

function s:stamp(path) abort
  return has('nvim') ? luaeval("require('claude_ide.file.disk').stamp(_A)", a:path) : claude_ide#file#disk#Stamp(a:path)
endfunction

" `name` is that of the buffer. If no autocommand has told of the write, `base` is the stamp of the file whose text the
" user has changed.
function s:note(name, base) abort
  let l:real = claude_ide#places#Resolved(fnamemodify(a:name, ':p'))
  if filereadable(l:real)
    let s:written[l:real] = s:stamp(l:real)
    call claude_ide#editor#Emit('review_saved', {'path': l:real, 'name': a:name, 'base': a:base})
  endif
endfunction

" Start to note the user's writes. The host calls this.
function claude_ide#own_writes#Watch() abort
  augroup claude_ide_own_writes
    autocmd!
    autocmd BufWritePost * call s:note(expand('<amatch>'), v:null)
    autocmd BufReadPost * call claude_ide#own_writes#Adopted(str2nr(expand('<abuf>')))
  augroup END
endfunction

" Only for `Inside`: Vim 9.0 tells of the current buffer only.
function claude_ide#own_writes#Look() abort
  let s:tree = undotree()
endfunction

function s:look(bufnr) abort
  call claude_ide#editor#Inside(a:bufnr, 'call claude_ide#own_writes#Look()')
  return s:tree.save_last
endfunction

" A buffer has got the text of its file: its undo tree takes that for a write.
function claude_ide#own_writes#Adopted(bufnr) abort
  let s:adopted[a:bufnr] = s:look(a:bufnr)
endfunction

" Whether a buffer has the text that the user has last written there; `is_any`: or a later one.
function s:is_as_written(bufnr, is_any) abort
  let l:last = s:look(a:bufnr)
  return l:last > get(s:adopted, a:bufnr) && (a:is_any || indexof(s:tree.entries,
        \ {_, each -> each.seq == s:tree.seq_cur && get(each, 'save') == l:last}) >= 0)
endfunction

" Whether a file has the text of its buffer.
function s:is_equal(bufnr, path) abort
  let l:end = getbufvar(a:bufnr, '&fileformat') ==# 'dos' ? "\r" : ''
  return getfsize(a:path) < s:most_bytes && readfile(a:path) ==# map(getbufline(a:bufnr, 1, '$'), {_, line -> line .. l:end})
endfunction

" A buffer's file has changed, and no other program has written it, as the editor knows; see `s:note`.
function claude_ide#own_writes#Noticed(bufnr, base) abort
  let l:path = bufname(a:bufnr)
  let l:name = fnamemodify(l:path, ':p')
  let l:real = claude_ide#places#Resolved(l:name)
  if get(s:written, l:real, '') !=# s:stamp(l:real) && s:is_as_written(a:bufnr, getbufvar(a:bufnr, '&modified'))
    call s:note(l:name, a:base)
  endif
endfunction

function s:is_own(path) abort
  let l:bufnr = claude_ide#editor#Loaded(a:path)
  return get(s:written, a:path, '') ==# s:stamp(a:path) || l:bufnr > 0 && !getbufvar(l:bufnr, '&modified')
        \ && s:is_as_written(l:bufnr, v:false) && s:is_equal(l:bufnr, a:path)
endfunction

" Those of the files, by their real paths, that the user was the last to write.
function claude_ide#own_writes#Among(paths) abort
  return filter(copy(a:paths), {_, path -> s:is_own(path)})
endfunction
