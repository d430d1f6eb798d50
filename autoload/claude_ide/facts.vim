" What some placeholders of a text mean where the user is (`contexts`), for both editors: the entries of the
" fields of `Facts` in `editor/port/prompts.py`. The current window is the user's, `bufnr` its buffer.

let s:most = 1000 " entries of a list
let s:longest = 500 " bytes of their texts

function s:name(bufnr) abort
  return getbufinfo(a:bufnr)[0].name
endfunction

" As `file/path` has it for one buffer.
function s:has_file(bufnr) abort
  let l:name = s:name(a:bufnr)
  return getbufvar(a:bufnr, '&buftype') ==# '' && l:name !=# '' && l:name !~# '^\a[[:alnum:]_+.-]*://'
        \ && getbufvar(a:bufnr, '&filetype') !=# 'netrw' && !isdirectory(l:name)
endfunction

function s:entries(items) abort
  return map(a:items[: s:most - 1], {_, item -> {
        \ 'path': item.valid && item.bufnr > 0 ? s:name(item.bufnr) : '',
        \ 'line': item.lnum, 'kind': item.type, 'text': strpart(item.text, 0, s:longest)}})
endfunction

function claude_ide#facts#quickfix(bufnr) abort
  return s:entries(getqflist())
endfunction

function claude_ide#facts#loclist(bufnr) abort
  return s:entries(getloclist(0))
endfunction

function claude_ide#facts#buffers(bufnr) abort
  let l:open = filter(range(1, bufnr('$')), {_, each -> buflisted(each) && s:has_file(each)})
  return map(l:open[: s:most - 1], {_, each -> {'path': s:name(each)}})
endfunction

function claude_ide#facts#visible(bufnr) abort
  let l:wins = filter(range(1, winnr('$')), {_, win -> s:has_file(winbufnr(win))})
  return map(map(l:wins, {_, win -> win_getid(win)}), {_, win -> {'path': s:name(winbufnr(win)),
        \ 'line': line('w0', win), 'last': line('w$', win)}})
endfunction

" The mark of a buffer has no file, and its number in some versions only.
function claude_ide#facts#marks(bufnr) abort
  let l:marks = filter(getmarklist(a:bufnr) + getmarklist(), {_, each -> each.mark =~# "^'\\a$"})
  return map(l:marks, {_, each -> {'name': each.mark[1], 'line': each.pos[1],
        \ 'path': has_key(each, 'file') ? fnamemodify(each.file, ':p') : s:name(a:bufnr),
        \ 'text': strpart(get(getbufline(each.pos[0] > 0 ? each.pos[0] : a:bufnr, each.pos[1]), 0, ''),
        \   0, s:longest)}})
endfunction
