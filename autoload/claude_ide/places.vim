" What is in the editor, for both editors: places, buffers, folders, what the user sees, and what some placeholders
" of a text mean (`contexts`).

let s:longest = 2400 " bytes of a line, of which the host shows the model less (`mcp/model/common.py`)
let s:most = 1000 " entries of a list for a placeholder
let s:longest_entry = 500 " bytes of their texts

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

" Describe `places`, each [bufnr, line, col] with the column in bytes from 0; `number` is its index, from 0. Those in
" buffers that are gone are left out.
function claude_ide#places#All(arguments) abort
  let l:found = []
  for l:number in range(len(a:arguments.places))
    let [l:bufnr, l:line, l:col] = a:arguments.places[l:number][: 2]
    if l:bufnr == 0 || bufexists(l:bufnr)
      call add(l:found, extend(claude_ide#places#Described(l:bufnr, l:line, l:col), {'number': l:number}))
    endif
  endfor
  return {'places': l:found}
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

" The files that lines of a list of places are about, empty where there is none; nothing for other buffers.
function claude_ide#places#About(bufnr, first, last) abort
  return getbufvar(a:bufnr, '&buftype') !=# 'quickfix' ? []
        \ : map(range(a:first, a:last), {_, line -> s:name(get(s:entry(a:bufnr, line), 'bufnr', 0))})
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
function claude_ide#places#Windows(arguments) abort
  return {'tabpages': tabpagenr('$'), 'windows': map(s:wins(), {_, win -> s:window(win, a:arguments.text)})}
endfunction

" As `file/path` has it for one buffer.
function s:has_file(bufnr) abort
  let l:name = s:name(a:bufnr)
  return getbufvar(a:bufnr, '&buftype') ==# '' && l:name !=# '' && l:name !~# '^\a[[:alnum:]_+.-]*://'
        \ && getbufvar(a:bufnr, '&filetype') !=# 'netrw' && !isdirectory(l:name)
endfunction

function s:path(bufnr) abort
  return s:has_file(a:bufnr) ? s:name(a:bufnr) : ''
endfunction

" Vim takes a terminal for modified while its program runs.
function s:buffer(info) abort
  let l:buftype = getbufvar(a:info.bufnr, '&buftype')
  return {
        \ 'bufnr': a:info.bufnr,
        \ 'path': s:path(a:info.bufnr),
        \ 'name': a:info.name,
        \ 'filetype': getbufvar(a:info.bufnr, '&filetype'),
        \ 'buftype': l:buftype,
        \ 'lines': a:info.loaded ? a:info.linecount : 0,
        \ 'is_loaded': a:info.loaded,
        \ 'is_listed': a:info.listed,
        \ 'is_modified': a:info.changed && l:buftype !=# 'terminal',
        \ 'is_shown': !empty(win_findbuf(a:info.bufnr)),
        \ 'is_current': a:info.bufnr == bufnr('%'),
        \ }
endfunction

" All `buffers`.
function claude_ide#places#Buffers(arguments) abort
  return {'buffers': map(getbufinfo(), {_, info -> s:buffer(info)})}
endfunction

" A path without links; as it is if they lead in a circle.
function claude_ide#places#Resolved(path) abort
  try
    return resolve(a:path)
  catch /E655:/
    return a:path
  endtry
endfunction

" The files below a folder, a real path, that have buffers.
function claude_ide#places#Below(folder) abort
  let l:files = filter(getbufinfo(), {_, info -> (info.listed || info.changed)
        \ && getbufvar(info.bufnr, '&buftype') ==# ''
        \ && stridx(claude_ide#places#Resolved(info.name), a:folder .. '/') == 0})
  return map(l:files, {_, info -> {'path': info.name, 'modified': info.changed}})
endfunction

" The working folders: the global one, then those of tabpages and windows, without duplicates.
function claude_ide#places#Folders() abort
  let l:folders = [has('nvim') ? getcwd(-1, -1) : getcwd(-1)]
  for l:tab in range(1, tabpagenr('$'))
    let l:folders += [getcwd(-1, l:tab)] + map(range(1, tabpagewinnr(l:tab, '$')), {_, win -> getcwd(win, l:tab)})
  endfor
  return filter(copy(l:folders), {at, folder -> index(l:folders, folder) == at})
endfunction

" Put what the command has printed into a new list after all others. Return how many places 'errorformat' has
" found.
function claude_ide#places#ListMade(arguments) abort
  call setqflist([], ' ', {'nr': '$', 'title': ':' .. a:arguments.command, 'lines': a:arguments.lines,
        \ 'efm': a:arguments.efm})
  silent doautocmd <nomodeline> QuickFixCmdPost make
  return {'entries': len(filter(getqflist(), {_, entry -> entry.valid}))}
endfunction

" Some `lines` of a buffer (`bufnr`, or that of a `file`), saved or not, with the `path` that each quotes, and the
" `count` of all. One that may quote anything is left out.
function claude_ide#places#Text(arguments) abort
  let l:bufnr = get(a:arguments, 'bufnr')
  if !has_key(a:arguments, 'bufnr')
    let l:bufnr = claude_ide#editor#Loaded(a:arguments.file)
    if l:bufnr == 0
      let l:editor = has('nvim') ? 'Neovim' : 'Vim'
      return {'error': printf('%s is not open in %s; read it from disk', a:arguments.file, l:editor)}
    endif
  elseif !bufloaded(l:bufnr)
    return {'error': printf('there is no loaded buffer %d', l:bufnr)}
  elseif claude_ide#places#IsPrivate(l:bufnr)
    return {'error': printf('buffer %d is a terminal or the command-line window', l:bufnr)}
  endif
  let [l:first, l:info] = [a:arguments.offset + 1, getbufinfo(l:bufnr)[0]]
  let l:last = min([l:info.linecount, a:arguments.offset + a:arguments.limit])
  return {
        \ 'bufnr': l:bufnr,
        \ 'count': l:info.linecount,
        \ 'lines': claude_ide#places#Lines(l:bufnr, l:first, l:last),
        \ 'buftype': getbufvar(l:bufnr, '&buftype'),
        \ 'is_modified': l:info.changed ? v:true : v:false,
        \ }
endfunction

function s:list(win, what) abort
  return a:win > 0 ? getloclist(a:win, a:what) : getqflist(a:what)
endfunction

" To Vim a text crosses as lines (`editor/vim.py`).
function s:listed(entry) abort
  let l:text = type(a:entry.text) == v:t_list ? join(a:entry.text) : a:entry.text
  return extend(copy(a:entry), {'text': claude_ide#editor#OneLine(l:text)})
endfunction

" Put `entries` into the quickfix list, or the location list of the window that the user works in: into the list with
" an `id`; into the current one if they are appended; otherwise into a new one after all others, so that the user's
" lists remain, or ours if it is the current one and `how` is "set". Return the `id`.
function claude_ide#places#SetList(arguments) abort
  let l:win = a:arguments.list ==# 'location' ? claude_ide#editor#FileWindow() : 0
  let l:current = s:list(l:win, {'id': 0, 'context': 1})
  let l:appended = a:arguments.how ==# 'append' ? l:current.id : 0
  let l:id = l:appended > 0 ? l:appended : get(a:arguments, 'id')
  let l:is_ours = type(l:current.context) == v:t_dict && get(l:current.context, 'claude_ide') is v:true
  let l:replaces = l:is_ours && a:arguments.how ==# 'set'
  let l:what = extend({'items': map(copy(a:arguments.entries), {_, entry -> s:listed(entry)})},
        \ l:id > 0 ? {'id': l:id} : l:replaces ? {'id': l:current.id} : {'nr': '$'})
  if l:id == 0
    call extend(l:what, {'title': claude_ide#editor#OneLine(a:arguments.title), 'context': {'claude_ide': v:true}})
  endif
  let l:arguments = [[], l:id > 0 ? 'a' : l:replaces ? 'r' : ' ', l:what]
  call call(l:win > 0 ? 'setloclist' : 'setqflist', l:win > 0 ? [l:win] + l:arguments : l:arguments)
  return {'id': get(l:what, 'id', 0) > 0 ? l:what.id : s:list(l:win, {'id': 0}).id}
endfunction

" What a mention needs: the current folder; the file of a buffer (0: the current one), and what `%` with modifiers
" means, both empty without a file.
function claude_ide#places#Here(bufnr, modifiers) abort
  return {
        \ 'folder': getcwd(),
        \ 'file': s:path(a:bufnr == 0 ? bufnr('%') : a:bufnr),
        \ 'current': s:has_file(bufnr('%')) ? expand('%:p' .. a:modifiers .. ':p') : '',
        \ }
endfunction

" What placeholders mean: the entries of the fields of `Facts` in `editor/port/prompts.py`. The current window is
" the user's, `bufnr` its buffer.

function s:entries(items) abort
  return map(a:items[: s:most - 1], {_, item -> {
        \ 'path': item.valid && item.bufnr > 0 ? s:name(item.bufnr) : '',
        \ 'line': item.lnum, 'kind': item.type, 'text': strpart(item.text, 0, s:longest_entry)}})
endfunction

function claude_ide#places#quickfix(bufnr) abort
  return s:entries(getqflist())
endfunction

function claude_ide#places#loclist(bufnr) abort
  return s:entries(getloclist(0))
endfunction

function claude_ide#places#buffers(bufnr) abort
  let l:open = filter(range(1, bufnr('$')), {_, each -> buflisted(each) && s:has_file(each)})
  return map(l:open[: s:most - 1], {_, each -> {'path': s:name(each)}})
endfunction

function claude_ide#places#visible(bufnr) abort
  let l:wins = filter(range(1, winnr('$')), {_, win -> s:has_file(winbufnr(win))})
  return map(map(l:wins, {_, win -> win_getid(win)}), {_, win -> {'path': s:name(winbufnr(win)),
        \ 'line': line('w0', win), 'last': line('w$', win)}})
endfunction

" The mark of a buffer has no file, and its number in some versions only. Those in other buffers without a file are
" left out: they have no name to be known by.
function claude_ide#places#marks(bufnr) abort
  let l:local = map(getmarklist(a:bufnr), {_, each -> extend(each, {'pos': [a:bufnr] + each.pos[1 :]})})
  let l:marks = filter(l:local + getmarklist(), {_, each -> each.mark =~# "^'\\a$"
        \ && (index([0, a:bufnr], each.pos[0]) >= 0 || s:has_file(each.pos[0]))})
  return map(l:marks, {_, each -> {'name': each.mark[1], 'line': each.pos[1],
        \ 'path': each.pos[0] > 0 ? s:path(each.pos[0]) : fnamemodify(each.file, ':p'),
        \ 'text': each.pos[0] > 0 ? strpart(claude_ide#places#Line(each.pos[0], each.pos[1]), 0, s:longest_entry) : ''}})
endfunction
