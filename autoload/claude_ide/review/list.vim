vim9script
# The quickfix list of what waits for review: the host fills it, and does what its keys ask for.

import autoload '../channel.vim'
import autoload '../messages/plain.vim'
import autoload '../ui/vim_ui.vim'

const TALLEST = 10 # lines of the quickfix window
const KEYS = {x: 'revert', s: 'keep', u: 'undo', c: 'comment', C: 'send'}

final lists: dict<list<any>> = {} # the items by the id of the quickfix list
var preview = 0 # the popup

def Current(): list<any>
  const id = getqflist({id: 0}).id
  return [id, get(lists, id, [])]
enddef

# Which of our lists a buffer shows, and the row of its cursor; null if none.
export def Listed(bufnr: number): any
  const shown = getqflist({id: 0, qfbufnr: 0, winid: 0})
  return shown.qfbufnr == bufnr && has_key(lists, shown.id)
    ? {list: shown.id, row: line('.', shown.winid) - 1} : v:null
enddef

def ClosePreview()
  popup_close(preview)
  preview = 0
enddef

# Show the hunk of the line at the cursor beside the window.
def Preview()
  ClosePreview()
  const items: list<any> = Current()[1]
  const item = get(items, line('.') - 1, {})
  if &buftype !=# 'quickfix' || empty(get(item, 'diff', []))
    return
  endif
  preview = popup_create(item.diff->mapnew((_, each) => plain.Harmless(each)), {
    line: win_screenpos(0)[0] - 1,
    col: win_screenpos(0)[1],
    pos: 'botleft',
    maxheight: max([1, win_screenpos(0)[0] - 4]),
    maxwidth: winwidth(0) - 4,
    title: ' ' .. fnamemodify(item.path, ':t') .. ' ',
    border: [],
    padding: [0, 0, 0, 0],
  })
  win_execute(preview, 'setlocal syntax=diff')
enddef

# Only for autocommands.
export def Look()
  if &buftype ==# 'quickfix' && !empty(Current()[1])
    Attach()
    Preview()
  else
    ClosePreview()
  endif
enddef

def Emit(key: string, first: number, last: number, words = '')
  const [id, items] = Current()
  const numbers = range(first - 1, min([last, len(items)]) - 1)
  channel.Emit('review_pressed', {key: key, list: id, items: numbers, words: words})
enddef

# Do what a key asks for, with the lines of a count or a selection.
export def Press(key: string, first: number, last: number)
  if key ==# 'comment'
    vim_ui.Input('Remark: ', '', (words) => {
      if words =~# '\S'
        Emit(key, first, last, words)
      endif
    })
  else
    Emit(key, first, last)
  endif
enddef

def Attach()
  if exists('b:claude_ide_review')
    return
  endif
  b:claude_ide_review = true
  for [key, name] in items(KEYS)
    const call = $"claude_ide#review#list#Press('{name}',"
    execute $'nnoremap <buffer> <nowait> <Plug>(claude-review-{name}) <Cmd>call {call} line("."), line(".") + v:count1 - 1)<CR>'
    execute $'xnoremap <buffer> <nowait> <silent> <Plug>(claude-review-{name}) :<C-U>call {call} line("''<"), line("''>"))<CR>'
    execute $'nmap <buffer> <nowait> {key} <Plug>(claude-review-{name})'
    execute $'xmap <buffer> <nowait> {key} <Plug>(claude-review-{name})'
  endfor
enddef

# Show a list in the quickfix window and enter it, or update one that was shown. Return its id.
export def Show(title: string, items: list<any>, id: number): number
  if id != 0 && getqflist({id: id}).id == 0
    return 0
  endif
  final what: dict<any> = {
    title: title,
    items: items->mapnew((_, item) => empty(item.path) ? {text: item.label, valid: 0}
      : {filename: item.path, lnum: item.row + 1, text: item.label, valid: 1}),
  }
  if id != 0
    what.id = id
    what.idx = getqflist({id: id, idx: 0}).idx
  endif
  setqflist([], id == 0 ? ' ' : 'r', what)
  const shown = id == 0 ? getqflist({id: 0}).id : id
  lists[shown] = items
  augroup claude_ide_review_list
    autocmd!
    autocmd CursorMoved,WinEnter,BufWinEnter * claude_ide#review#list#Look()
    autocmd WinLeave * claude_ide#review#list#Left()
  augroup END
  if id == 0
    execute $'botright copen {max([2, min([len(items), TALLEST])])}'
    cursor(1, 1)
  endif
  Look()
  return shown
enddef

# Only for autocommands.
export def Left()
  ClosePreview()
enddef

defcompile
