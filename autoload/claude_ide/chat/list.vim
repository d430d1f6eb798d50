vim9script
# Lists with keys, such as that of the sessions, in a split. The host owns their content and handles the
# keys.
#
# A list is a dict: its `name`, `bufnr` and `title`, its `look` (`ListLook` of the port), the `items`, those
# that are `shown` by row, and the `height` that its window has got.

import autoload '../channel.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/float.vim'
import autoload '../window/winbar.vim'

const MOST_HEIGHT = 0.4
const LEAST_HEIGHT = 3
const NO_ITEM = {id: '', lines: [], marks: [], lacks: []}
# What the highlight groups of a page look like, unless the user has defined them.
const LOOKS = {
  ClaudeChatHeading: 'Title', ClaudeChatMeta: 'Comment', ClaudeChatDetail: 'Comment', ClaudeChatLink: 'Underlined',
  ClaudeChatMode: 'Statement', ClaudeChatKey: 'Special', ClaudeChatRequest: 'WarningMsg',
  ClaudeChatWarning: 'WarningMsg', ClaudeChatError: 'ErrorMsg', ClaudeChatToolRunning: 'Identifier',
  ClaudeChatAdded: 'DiffAdd', ClaudeChatRemoved: 'DiffDelete',
}

final lists: dict<dict<any>> = {} # by name
final opening: dict<bool> = {} # by name: those that open soon
final expected: dict<bool> = {} # by name: whether its window, opened early, is still there

def Emit(name: string, key: string, id: string, is_seen = false)
  channel.Emit('chat_list', {list: name, key: key, id: id, is_seen: is_seen})
enddef

def Window(list: dict<any>): number
  return win_findbuf(list.bufnr)->get(0, 0)
enddef

def ItemHere(list: dict<any>): dict<any>
  return get(list.shown, line('.') - 1, NO_ITEM)
enddef

def IsOnScreen(list: dict<any>, item: dict<any>): bool
  const rows = range(1, len(list.shown))->filter((_, row) => list.shown[row - 1] is item)
  return empty(rows) || (rows[0] >= line('w0') && rows[-1] <= line('w$'))
enddef

# Only for the maps: the keys to type in place of one.
export def Typed(name: string, number: number): string
  const key = lists[name].look.keys[number]
  const is_lacking = index(ItemHere(lists[name]).lacks, key.name) >= 0
  return is_lacking && get(key, 'is_usual', false) ? key.key
    : $"\<Cmd>call claude_ide#chat#list#Press('{name}', {number})\<CR>"
enddef

# Only for the maps.
export def Press(name: string, number: number)
  const item = ItemHere(lists[name])
  Emit(name, lists[name].look.keys[number].key, item.id, IsOnScreen(lists[name], item))
enddef

# Only for the map: show the keys that do something with the item at the cursor.
export def ShowKeys(name: string)
  const lacks = ItemHere(lists[name]).lacks
  const keys = lists[name].look.keys->copy()->filter((_, key) => index(lacks, key.name) < 0)
  const rows = keys->mapnew((_, key) => printf(' %-5s %s', key.key, key.desc))
  float.Show(rows + [' q     Close the list', ' g?    Show these keys'], {title: 'Keys'})
enddef

def DefineKeys(list: dict<any>)
  const name = list.name
  for [number, key] in items(list.look.keys)
    const plug = $'<Plug>(claude-chat-{name}-{key.name})'
    execute $"nnoremap <buffer> <nowait> <expr> {plug} claude_ide#chat#list#Typed('{name}', {number})"
    execute $'nmap <buffer> <nowait> {key.key} {plug}'
    if key.key ==# '<CR>'
      execute $'nmap <buffer> <nowait> <2-LeftMouse> {plug}'
    endif
  endfor
  execute $"nnoremap <buffer> <nowait> <Plug>(claude-chat-close-{name}) <Cmd>call claude_ide#chat#list#Close('{name}')<CR>"
  execute $'nmap <buffer> <nowait> q <Plug>(claude-chat-close-{name})'
  execute $"nnoremap <buffer> <nowait> <Plug>(claude-chat-{name}-keys) <Cmd>call claude_ide#chat#list#ShowKeys('{name}')<CR>"
  execute $'nmap <buffer> <nowait> g? <Plug>(claude-chat-{name}-keys)'
enddef

# The title, and the keys that do something with any item.
def SetBar(list: dict<any>)
  const useful = list.look.keys->copy()->filter((_, key) => empty(list.items)
    || list.items->indexof((_, item) => index(item.lacks, key.name) < 0) >= 0)
  const keys = useful->mapnew((_, key) => $'{key.key} {key.name}')->join('  ')
  const win = Window(list)
  if win > 0
    winbar.Set(win, $' {plain.StatusLine(list.title)} %<%={plain.StatusLine(keys)}  g? keys ')
  endif
enddef

def Create(name: string, look: dict<any>)
  botright new
  setlocal buftype=nofile noswapfile undolevels=-1 nobuflisted bufhidden=wipe
  setlocal nonumber norelativenumber signcolumn=no nowrap nospell nolist foldcolumn=0 cursorline
  setlocal nodiff noscrollbind nocursorbind nofoldenable
  execute 'silent file' fnameescape($'Claude {name}')
  lists[name] = {name: name, bufnr: bufnr(), look: look, title: look.title, items: [], shown: [], height: 0}
  setlocal nomodifiable
  DefineKeys(lists[name])
  execute $"autocmd BufWipeout <buffer> ++once Closed('{name}', {bufnr()})"
  silent! setlocal filetype=claude-list
enddef

def Closed(name: string, bufnr: number)
  if has_key(lists, name) && lists[name].bufnr == bufnr
    remove(lists, name)
    if has_key(expected, name)
      expected[name] = false
    endif
    Emit(name, 'closed', '')
  endif
enddef

# Open the window of a list, or enter it, before the host has answered: what is typed now is meant for it.
export def Expect(name: string, title: string)
  if has_key(lists, name) && Window(lists[name]) > 0
    win_gotoid(Window(lists[name]))
  elseif mode() ==# 'n' && getcmdwintype() ==# ''
    Create(name, {title: title, keys: []})
    SetBar(lists[name])
    expected[name] = true
  endif
enddef

# The host has ended: close what it has not filled.
export def HostEnded()
  for name in keys(expected)->filter((_, each) => expected[each])
    Close(name)
  endfor
  expected->filter((_, _) => false)
enddef

def OpenNow(name: string, look: dict<any>)
  opening->filter((each, _) => each !=# name)
  if has_key(lists, name) && Window(lists[name]) > 0
    lists[name].look = look
    if has_key(expected, name)
      DefineKeys(lists[name])
    else
      win_gotoid(Window(lists[name]))
    endif
  elseif has_key(expected, name)
    # The user has closed it.
    remove(expected, name)
    return
  else
    Create(name, look)
  endif
  expected->filter((each, _) => each !=# name)
  SetBar(lists[name])
enddef

# Called by the host: open a list when the user is at rest, or enter the window of an open one.
export def Open(name: string, look: dict<any>): bool
  opening[name] = true
  moment.WhenAsked(() => OpenNow(name, look))
  return true
enddef

def Highlight(bufnr: number, row: number, mark: list<any>)
  const type = 'claude_ide_' .. mark[3]
  if empty(prop_type_get(type))
    execute $'highlight default link {mark[3]} {get(LOOKS, mark[3], "Normal")}'
    prop_type_add(type, {highlight: mark[3]})
  endif
  silent! prop_add(row, mark[1] + 1, {bufnr: bufnr, type: type, length: mark[2] - mark[1]})
enddef

def Draw(list: dict<any>, items: list<dict<any>>)
  final [lines, shown, marks] = [[], [], []]
  for item in items
    for mark in item.marks
      marks->add([len(lines) + mark[0] + 1, mark])
    endfor
    for line in item.lines
      lines->add(plain.Harmless(line))
      shown->add(item)
    endfor
  endfor
  const places = win_findbuf(list.bufnr)->mapnew((_, win) => {
    const row = line('.', win)
    const id = get(list.shown, row - 1, NO_ITEM).id
    const same = empty(list.shown) ? shown->indexof((_, item) => item.id !=# '')
      : id ==# '' ? -1 : shown->indexof((_, item) => item.id ==# id)
    return [win, same < 0 ? min([row, max([1, len(lines)])]) : same + 1]
  })
  setbufvar(list.bufnr, '&modifiable', true)
  try
    deletebufline(list.bufnr, 1, '$')
    setbufline(list.bufnr, 1, lines)
  finally
    setbufvar(list.bufnr, '&modifiable', false)
  endtry
  for [row, mark] in marks
    Highlight(list.bufnr, row, mark)
  endfor
  extend(list, {items: items, shown: shown})
  for [win, row] in places
    win_execute(win, $'call cursor({row}, 1)')
  endfor
enddef

# The window grows with the items, until the user gives it another height.
def Fit(list: dict<any>)
  const win = Window(list)
  if win == 0 || (list.height > 0 && list.height != winheight(win))
    return
  endif
  const most = max([LEAST_HEIGHT, float2nr(&lines * MOST_HEIGHT)])
  win_execute(win, $'resize {max([LEAST_HEIGHT, list.height, min([len(list.shown) + 1, most])])}')
  list.height = winheight(win)
enddef

# Called by the host: show the items of an open list. The cursor stays on its item, if that remains. Returns
# false if the list is closed, or cannot be changed at the moment.
export def Show(name: string, title: string, items: list<dict<any>>): bool
  if has_key(opening, name) || !has_key(lists, name)
    return false
  endif
  final list = lists[name]
  if items != list.items
    try
      Draw(list, items)
    catch
      return false
    endtry
  endif
  list.title = title
  SetBar(list)
  Fit(list)
  screen.Draw()
  return true
enddef

# Called by the host: close a list, and return the user to where they came from.
export def Close(name: string): bool
  const win = has_key(lists, name) ? Window(lists[name]) : 0
  if win > 0
    win_execute(win, 'close')
    moment.Settle()
  endif
  return true
enddef

defcompile
