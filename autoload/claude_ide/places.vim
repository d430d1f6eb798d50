" Places for the model, and what the user sees of them, for both editors.

let s:longest = 2400 " bytes of a line, of which the host shows the model less (`mcp/model/common.py`)

" The full name of a buffer; empty if it has none.
function s:name(bufnr) abort
  return get(get(getbufinfo(a:bufnr), 0, {}), 'name', '')
endfunction

" A line in which a NUL, which JSON cannot take to the host, is a visible one.
function claude_ide#places#Visible(line) abort
  return substitute(a:line, "\n", '^@', 'g')
endfunction

" A line, cut if it is too long.
function claude_ide#places#Cut(line) abort
  return claude_ide#places#Visible(strpart(a:line, 0, s:longest))
endfunction

" A line of a buffer; empty if there is none, or if the buffer is not loaded.
function claude_ide#places#Line(bufnr, line) abort
  return get(getbufline(a:bufnr, a:line), 0, '')
endfunction

" A place: the `path` of its file, its `line`, the `column` in characters, from 1, and the `text` of the line.
" `col` counts bytes, from 0; one past the end counts as the end.
function claude_ide#places#Described(bufnr, line, col) abort
  let [l:text, l:before] = [claude_ide#places#Line(a:bufnr, a:line), max([a:col, 0])]
  return {
        \ 'path': a:bufnr > 0 ? s:name(a:bufnr) : '',
        \ 'line': a:line,
        \ 'column': (l:text ==# '' ? l:before : strchars(strpart(l:text, 0, l:before))) + 1,
        \ 'text': claude_ide#places#Cut(l:text),
        \ }
endfunction

" Describe `places`, each [bufnr, line, col]; `number` is its index, from 0. Those in buffers that are gone are
" left out.
function claude_ide#places#All(places) abort
  let l:found = []
  for l:number in range(len(a:places))
    let [l:bufnr, l:line, l:col] = a:places[l:number][: 2]
    if l:bufnr == 0 || bufexists(l:bufnr)
      call add(l:found, extend(claude_ide#places#Described(l:bufnr, l:line, l:col), {'number': l:number}))
    endif
  endfor
  return l:found
endfunction

" Whether a buffer shows what a program has printed, or the commands that the user has typed. Secrets may be in
" both.
function claude_ide#places#IsPrivate(bufnr) abort
  return getbufvar(a:bufnr, '&buftype') ==# 'terminal' || (getcmdwintype() !=# '' && a:bufnr == bufnr('%'))
endfunction

" The entry in a line of a quickfix window; empty if it is unknown.
function s:entry(bufnr, line) abort
  let l:what = {'idx': a:line, 'items': 0}
  if getqflist({'qfbufnr': 0}).qfbufnr == a:bufnr
    return get(getqflist(l:what).items, 0, {})
  endif
  let l:win = get(win_findbuf(a:bufnr), 0, 0)
  return l:win > 0 ? get(get(getloclist(l:win, l:what), 'items', []), 0, {}) : {}
endfunction

" Lines of a buffer, each with the `path` that a line of a quickfix window quotes; without those of which that
" cannot be known. Of a closed fold of a window, if one is given, only the first line is there.
function claude_ide#places#Lines(bufnr, first, last, win = 0) abort
  let [l:found, l:line] = [[], a:first]
  let l:is_list = getbufvar(a:bufnr, '&buftype') ==# 'quickfix'
  while l:line <= a:last
    let l:entry = l:is_list ? s:entry(a:bufnr, l:line) : {'bufnr': 0}
    let l:end = a:win > 0 ? str2nr(win_execute(a:win, 'echon foldclosedend(' .. l:line .. ')')) : -1
    if !empty(l:entry)
      let l:text = claude_ide#places#Cut(claude_ide#places#Line(a:bufnr, l:line))
      let l:path = l:entry.bufnr > 0 ? s:name(l:entry.bufnr) : ''
      call add(l:found, extend({'line': l:line, 'text': l:text, 'path': l:path},
            \ l:end > 0 ? {'folded_to': l:end} : {}))
    endif
    let l:line = max([l:line, l:end]) + 1
  endwhile
  return l:found
endfunction

" A float is decoration, unless the user is in it or it shows a file; a popup of Vim is no window of a tab page.
function s:wins() abort
  let l:wins = gettabinfo(tabpagenr())[0].windows
  return !has('nvim') ? l:wins + (win_gettype() ==# 'popup' ? [win_getid()] : [])
        \ : filter(l:wins, {_, win -> nvim_win_get_config(win).relative ==# '' || win == win_getid()
        \   || getbufvar(winbufnr(win), '&buftype') ==# '' && s:name(winbufnr(win)) !=# ''})
endfunction

function s:window(win, has_text) abort
  let [l:bufnr, l:info] = [winbufnr(a:win), getwininfo(a:win)[0]]
  let [l:line, l:col] = getcurpos(a:win)[1 : 2]
  return extend({
        \ 'window': l:info.winnr,
        \ 'bufnr': l:bufnr,
        \ 'tabpage': l:info.tabnr,
        \ 'name': s:name(l:bufnr),
        \ 'buftype': getbufvar(l:bufnr, '&buftype'),
        \ 'filetype': getbufvar(l:bufnr, '&filetype'),
        \ 'line': l:line,
        \ 'column': claude_ide#places#Described(l:bufnr, l:line, l:col - 1).column,
        \ 'first': l:info.topline,
        \ 'last': l:info.botline,
        \ 'is_current': a:win == win_getid() ? v:true : v:false,
        \ }, a:has_text && !claude_ide#places#IsPrivate(l:bufnr)
        \ ? {'lines': claude_ide#places#Lines(l:bufnr, l:info.topline, l:info.botline, a:win)} : {})
endfunction

" The `windows` of the current tab page, perhaps with the lines that they show, and how many `tabpages` there
" are.
function claude_ide#places#Windows(has_text) abort
  return {'tabpages': tabpagenr('$'), 'windows': map(s:wins(), {_, win -> s:window(win, a:has_text)})}
endfunction
