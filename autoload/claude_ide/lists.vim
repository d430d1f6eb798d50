" Lists with keys, such as that of the sessions, in a split, in both editors. The host owns their content and handles the
" keys (`ui/listing.py`).
"
" A list is a dict: its `name` and `bufnr`, its `look` (`ListLook` of the port), the `items`, those that are `shown` by
" row, and the `height` that its window has got.

let s:most_height = 0.4 " of the screen
let s:least_lines = 3
let s:no_item = {'id': '', 'lines': [], 'marks': [], 'lacks': []}
" What the highlight groups of a page look like in Vim, unless the user has defined them.
let s:looks = {
      \ 'ClaudeChatHeading': 'Title', 'ClaudeChatMeta': 'Comment', 'ClaudeChatDetail': 'Comment',
      \ 'ClaudeChatLink': 'Underlined', 'ClaudeChatMode': 'Statement', 'ClaudeChatKey': 'Special',
      \ 'ClaudeChatRequest': 'WarningMsg', 'ClaudeChatWarning': 'WarningMsg', 'ClaudeChatError': 'ErrorMsg',
      \ 'ClaudeChatToolRunning': 'Identifier', 'ClaudeChatAdded': 'DiffAdd', 'ClaudeChatRemoved': 'DiffDelete'}

let s:lists = {} " by name
let s:opening = {} " by name: those that open soon
let s:expected = {} " by name: whether its window, opened early, is still there

function s:emit(name, key, id, is_seen) abort
  call claude_ide#editor#Emit('chat_list', extend({'list': a:name, 'key': a:key, 'id': a:id},
        \ a:is_seen ? {'is_seen': v:true} : {}))
endfunction

function s:window(name) abort
  return has_key(s:lists, a:name) ? get(win_findbuf(s:lists[a:name].bufnr), 0) : 0
endfunction

function s:item_here(name) abort
  return get(s:lists[a:name].shown, line('.') - 1, s:no_item)
endfunction

function s:is_on_screen(list, item) abort
  let l:rows = filter(range(1, len(a:list.shown)), {_, row -> a:list.shown[row - 1] is a:item})
  return empty(l:rows) || (l:rows[0] >= line('w0') && l:rows[-1] <= line('w$'))
endfunction

" Only for the maps: the keys to type in place of one.
function claude_ide#lists#Typed(name, number) abort
  let l:key = s:lists[a:name].look.keys[a:number]
  return get(l:key, 'is_usual') && index(s:item_here(a:name).lacks, l:key.name) >= 0 ? l:key.key
        \ : printf("\<Cmd>call claude_ide#lists#Press('%s', %d)\<CR>", a:name, a:number)
endfunction

" Only for the maps.
function claude_ide#lists#Press(name, number) abort
  let [l:list, l:item] = [s:lists[a:name], s:item_here(a:name)]
  call s:emit(a:name, l:list.look.keys[a:number].key, l:item.id, s:is_on_screen(l:list, l:item))
endfunction

" Only for the map: show the keys that do something with the item at the cursor.
function claude_ide#lists#ShowKeys(name) abort
  let [l:lacks, l:look] = [s:item_here(a:name).lacks, s:lists[a:name].look]
  let l:keys = map(filter(copy(l:look.keys), {_, key -> index(l:lacks, key.name) < 0}), {_, key -> [key.key, key.desc]})
  call claude_ide#keys#Show(l:keys + [[join(get(l:look, 'closing', ['q'])), 'Close the list']])
endfunction

function s:define_keys(list) abort
  let [l:name, l:look] = [a:list.name, a:list.look]
  let l:keys = map(copy(l:look.keys), {number, key -> {'typed': key.key ==# '<CR>' ? ['<CR>', '<2-LeftMouse>'] : [key.key],
        \ 'plug': get(key, 'plug', '') ==# '' ? l:name .. '-' .. key.name : key.plug, 'desc': key.desc,
        \ 'rhs': printf("claude_ide#lists#Typed('%s', %d)", l:name, number), 'is_expr': v:true}})
  call claude_ide#keys#Define(a:list.bufnr, l:keys + [
        \ {'typed': get(l:look, 'closing', ['q']), 'plug': 'close-' .. matchstr(l:name, '^\a\+'), 'desc': 'Close the list',
        \   'rhs': printf("<Cmd>call claude_ide#lists#Close('%s')<CR>", l:name)},
        \ {'typed': ['g?'], 'plug': l:name .. '-keys', 'desc': 'Show these keys',
        \   'rhs': printf("<Cmd>call claude_ide#lists#ShowKeys('%s')<CR>", l:name)}])
endfunction

" The title, and the keys that do something with any item, as many as there is room for.
function s:set_bar(list) abort
  let l:keys = filter(copy(a:list.look.keys), {_, key -> empty(a:list.items)
        \ || indexof(a:list.items, {_, item -> index(item.lacks, key.name) < 0}) >= 0})
  if s:window(a:list.name) > 0
    call claude_ide#keys#SetBar(s:window(a:list.name), a:list.look.title, map(l:keys, {_, key -> [key.key, key.name]}))
  endif
endfunction

" Called once, when the buffer is wiped out.
function s:closed(name, bufnr) abort
  if get(get(s:lists, a:name, {}), 'bufnr') == a:bufnr
    call remove(s:lists, a:name)
    if has_key(s:expected, a:name)
      let s:expected[a:name] = v:false
    endif
    call s:emit(a:name, 'closed', '', v:false)
  endif
endfunction

" Open a window for a list, and enter it.
function s:create(name, look) abort
  if has('nvim')
    call v:lua.require'claude_ide.chat.page'.open_list(a:name)
  else
    botright new
    setlocal buftype=nofile noswapfile undolevels=-1 nobuflisted bufhidden=wipe
    setlocal nonumber norelativenumber signcolumn=no nowrap nospell nolist foldcolumn=0 cursorline
    setlocal nodiff noscrollbind nocursorbind nofoldenable
    execute 'silent file' fnameescape('Claude ' .. a:name)
    setlocal nomodifiable
  endif
  let s:lists[a:name] = {'name': a:name, 'bufnr': bufnr('%'), 'look': a:look, 'items': [], 'shown': [], 'height': 0}
  call s:define_keys(s:lists[a:name])
  augroup claude_ide_lists
    execute printf("autocmd BufWipeout <buffer> ++once call s:closed('%s', %d)", a:name, bufnr('%'))
  augroup END
  " A user's autocommand may fail.
  execute 'silent! setlocal filetype=' .. get(a:look, 'filetype', 'claude-list')
endfunction

" Open the window of a list, or enter it, before the host has answered: what is typed now is meant for it.
function claude_ide#lists#Expect(name, title) abort
  if s:window(a:name) > 0
    call win_gotoid(s:window(a:name))
  elseif has('nvim') || (mode() ==# 'n' && getcmdwintype() ==# '')
    call s:create(a:name, {'title': a:title, 'keys': []})
    call s:set_bar(s:lists[a:name])
    let s:expected[a:name] = v:true
  endif
endfunction

" The host has ended: close what it has not filled.
function claude_ide#lists#HostEnded() abort
  for l:name in keys(filter(copy(s:expected), {_, is_there -> is_there}))
    call claude_ide#lists#Close(l:name)
  endfor
  let s:expected = {}
endfunction

" Return false if the list was expected, and the user has closed it.
function s:open(name, look) abort
  call filter(s:opening, {name, _ -> name !=# a:name})
  let l:was_there = has_key(s:expected, a:name) ? remove(s:expected, a:name) : v:null
  if l:was_there is v:false
    return v:false
  elseif s:window(a:name) == 0
    call s:create(a:name, a:look)
  else
    let s:lists[a:name].look = a:look
    if l:was_there is v:true
      call s:define_keys(s:lists[a:name])
    else
      call win_gotoid(s:window(a:name))
    endif
  endif
  call s:set_bar(s:lists[a:name])
  return v:true
endfunction

" Called by the host: open a list, or enter the window of an open one; in Vim when the user is at rest.
function claude_ide#lists#Open(name, look) abort
  if has('nvim')
    return s:open(a:name, a:look)
  endif
  let s:opening[a:name] = v:true
  call claude_ide#timing#moment#WhenAsked({-> s:open(a:name, a:look)})
  return v:true
endfunction

function s:write(bufnr, lines, marks) abort
  if has('nvim')
    return luaeval("require('claude_ide.chat.page').draw(unpack(_A))", [a:bufnr, a:lines, a:marks])
  endif
  call setbufvar(a:bufnr, '&modifiable', 1)
  try
    silent call deletebufline(a:bufnr, 1, '$')
    call setbufline(a:bufnr, 1, map(copy(a:lines), {_, line -> claude_ide#messages#plain#Harmless(line)}))
  finally
    call setbufvar(a:bufnr, '&modifiable', 0)
  endtry
  for [l:row, l:first, l:last, l:group] in a:marks
    let l:type = 'claude_ide_' .. l:group
    if empty(prop_type_get(l:type))
      execute 'highlight default link' l:group get(s:looks, l:group, 'Normal')
      call prop_type_add(l:type, {'highlight': l:group})
    endif
    silent! call prop_add(l:row + 1, l:first + 1, {'bufnr': a:bufnr, 'type': l:type, 'length': l:last - l:first})
  endfor
endfunction

function s:draw(list, items) abort
  let [l:lines, l:shown, l:marks] = [[], [], []]
  for l:item in a:items
    call extend(l:marks, map(copy(l:item.marks), {_, mark -> [len(l:lines) + mark[0]] + mark[1 :]}))
    call extend(l:shown, repeat([l:item], len(l:item.lines)))
    call extend(l:lines, l:item.lines)
  endfor
  let l:rows = map(win_findbuf(a:list.bufnr), {_, win -> [win, line('.', win)]})
  let l:old = a:list.shown
  call s:write(a:list.bufnr, l:lines, l:marks)
  call extend(a:list, {'items': a:items, 'shown': l:shown})
  for [l:win, l:row] in l:rows
    let l:id = get(l:old, l:row - 1, s:no_item).id
    let l:same = empty(l:old) ? indexof(l:shown, {_, item -> item.id !=# ''})
          \ : l:id ==# '' ? -1 : indexof(l:shown, {_, item -> item.id ==# l:id})
    call win_execute(l:win, printf('call cursor(%d, 1)', l:same < 0 ? min([l:row, max([1, len(l:lines)])]) : l:same + 1))
  endfor
endfunction

" The window grows with the items, until the user gives it another height.
function s:fit(list) abort
  let l:win = s:window(a:list.name)
  if l:win == 0 || (a:list.height > 0 && a:list.height != winheight(l:win))
    return
  endif
  let l:most = max([s:least_lines, float2nr(&lines * s:most_height)])
  let l:wanted = max([s:least_lines, a:list.height, min([len(a:list.shown) + 1, l:most])])
  if l:wanted != winheight(l:win)
    if has('nvim')
      call v:lua.require'claude_ide.chat.placement'.neighbour_changes(l:win)
    endif
    call win_execute(l:win, 'resize ' .. l:wanted)
  endif
  if len(a:list.shown) < l:wanted
    " There is room for what was scrolled away while the window was smaller.
    call win_execute(l:win, 'call winrestview({"topline": 1})')
  endif
  let a:list.height = winheight(l:win)
endfunction

" Called by the host: show the items of an open list. The cursor stays on its item, if that remains. Returns false if the
" list is closed, or cannot be changed at the moment.
function claude_ide#lists#Show(name, title, items) abort
  if has_key(s:opening, a:name) || !has_key(s:lists, a:name)
    return v:false
  endif
  let l:list = s:lists[a:name]
  try
    if a:items !=# l:list.items
      call s:draw(l:list, a:items)
    endif
  catch
    return v:false
  endtry
  " Values that the host has sent are locked in Vim.
  let l:list.look = extend({'title': a:title}, l:list.look, 'keep')
  call s:set_bar(l:list)
  call s:fit(l:list)
  if !has('nvim')
    call claude_ide#messages#screen#Draw()
  endif
  return v:true
endfunction

" Called by the host: close a list, and return the user to where they came from.
function claude_ide#lists#Close(name) abort
  if has('nvim') && has_key(s:lists, a:name)
    call v:lua.require'claude_ide.window.close'.buffer(s:lists[a:name].bufnr)
  elseif s:window(a:name) > 0
    call win_execute(s:window(a:name), 'close')
    call claude_ide#timing#moment#Settle()
  endif
endfunction
