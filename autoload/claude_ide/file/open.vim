vim9script
# Opens and closes files in windows, without losing changes or interrupting the user; shows and
# selects passages of them.
#
# A passage is {first, last, is_point}. Both positions are {row, col}, in bytes and from 0; `last`
# is exclusive. A point is a position, with nothing to select.

import autoload '../messages/reason.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/recent.vim'
import autoload '../window/tiling.vim'
import autoload './buffers.vim'
import autoload './load.vim' as file_load
import autoload './path.vim' as file

const AWAY = 'The user is typing elsewhere; the file was opened without focus.'

# The choice of a window: one that holds files, and whose buffer stays as it is.

def IsInDiff(win: number): bool
  return !!tiling.Option(win, 'diff')
enddef

def HoldsFiles(win: number): bool
  return getbufvar(winbufnr(win), '&buftype') ==# ''
    && !tiling.Option(win, 'previewwindow')
    && !IsInDiff(win)
enddef

# Whether the window may show another buffer, and its present one then keeps its state. Without
# 'hidden', Vim refuses to abandon a modified buffer.
def IsSuitable(win: number): bool
  const bufnr = winbufnr(win)
  const bufhidden = getbufvar(bufnr, '&bufhidden')
  return HoldsFiles(win) && !tiling.IsFixed(win)
    && (len(win_findbuf(bufnr)) > 1 || bufhidden ==# 'hide'
      || (bufhidden ==# '' && (&hidden || !getbufvar(bufnr, '&modified'))))
enddef

def Shows(bufnr: number): func(number): bool
  return (win) => winbufnr(win) == bufnr && HoldsFiles(win)
enddef

# The first wanted window of these tabpages, of which each looks at the most recently used one first;
# 0 if there is none.
export def Find(tabs: list<number>, IsWanted: func(number): bool): number
  for tab in tabs
    const wins: list<number> = tiling.Windows(tab)
    var order = [win_getid(tabpagewinnr(tab), tab)]
    for bufnr in recent.Sort(wins->mapnew((_, win) => winbufnr(win)))
      order += win_findbuf(bufnr)
    endfor
    const at = order->indexof((_, win) => index(wins, win) >= 0 && IsWanted(win))
    if at >= 0
      return order[at]
    endif
  endfor
  return 0
enddef

# Split above the largest window, or open a new tabpage if there is no room. The buffer is empty, and
# disappears once the window shows another one.
def NewWindow(is_tabpage: bool): number
  const here = win_getid()
  try
    if is_tabpage
      silent tabnew
    else
      const Area = (win) => winwidth(win) * winheight(win)
      win_gotoid(tiling.Windows(tabpagenr())->sort((a, b) => Area(b) - Area(a))[0])
      silent aboveleft new
    endif
  catch /E36:/
    win_gotoid(here)
    silent tabnew
  endtry
  setlocal bufhidden=wipe nobuflisted
  return win_getid()
enddef

# Whether the focus may move to another window: the user is not typing, nor in the middle of a
# command.
def IsUserFree(): bool
  return mode(1) =~# "^[vV\<C-v>]$" ? state('moax') ==# '' : moment.Obstacle() ==# ''
enddef

# The window that is to show a buffer and get the focus: one that already shows it if there is one,
# in any tabpage. A new one becomes the current one.
export def ToEnter(bufnr: number): number
  # The current tabpage, the previous one, the others.
  const order = [tabpagenr()] + (tabpagenr('#') > 0 ? [tabpagenr('#')] : [])
    + range(1, tabpagenr('$'))
  const win = Find(order, Shows(bufnr)) ?? Find(order[: 0], IsSuitable)
  if win > 0
    return win
  elseif Find(order[: 0], IsInDiff) == 0
    return NewWindow(false)
  endif
  # A split in this tabpage would resize the diff.
  return Find(order, IsSuitable) ?? NewWindow(true)
enddef

# A window of the current tabpage that can show a buffer while the user keeps working in another
# one; 0 if there is none. While the command-line window is open, Vim refuses to change another one.
export def ToShow(bufnr: number): number
  if getcmdwintype() !=# ''
    return 0
  endif
  const here = win_getid()
  return Find([tabpagenr()], Shows(bufnr))
    ?? Find([tabpagenr()], (win) => win != here && IsSuitable(win))
enddef

# Passages.

# Move a window's cursor to the start of a passage, center that line, and open the folds around it.
def ShowPassage(win: number, passage: dict<any>)
  const first = passage.first
  win_execute(win, [
    $'call cursor({first.row + 1}, {first.col + 1})',
    $'silent! :{first.row + 1},{passage.last.row + 1}foldopen!',
    'normal! zz',
  ])
enddef

# The cursor position at which a Visual area ends before `last`, in the current buffer.
def EndOfArea(last: dict<number>): list<number>
  if &selection ==# 'exclusive'
    return [last.row + 1, last.col + 1]
  elseif last.col == 0
    # At the end of the previous line.
    return [last.row, len(getline(last.row)) + 1]
  endif
  const line = getline(last.row + 1)
  return [last.row + 1, byteidxcomp(line, charidx(line, last.col - 1, true)) + 1]
enddef

# Select a passage in the current window, in Visual mode.
def Select(passage: dict<any>)
  ShowPassage(win_getid(), passage)
  if passage.is_point
    return
  endif
  # In Select mode, typing would replace the selected text.
  const selectmode = &selectmode
  &selectmode = ''
  normal! v
  &selectmode = selectmode
  # Only in Visual mode can the cursor be on the end of a line.
  cursor(passage.first.row + 1, passage.first.col + 1)
  normal! o
  call('cursor', EndOfArea(passage.last))
  moment.ClaimVisual()
enddef

# The passage to select, limited to the text of the buffer; empty if there is none. The text in which the
# host has found it may be another one by now. Without a passage, there are lines from 1, the last one
# inclusive; without `end_line`, it is the start of `line`.
def PassageIn(bufnr: number, request: dict<any>): dict<any>
  const lines = getbufline(bufnr, 1, '$')
  const At = (row: number, col: number): dict<number> => {
    const known = max([min([row, len(lines) - 1]), 0])
    return {row: known, col: min([col, len(lines[known])])}
  }
  if has_key(request, 'passage')
    const [first, last] = [request.passage.first, request.passage.last]
    return {first: At(first.row, first.col), last: At(last.row, last.col), is_point: false}
  elseif !has_key(request, 'line')
    return {}
  endif
  const first = At(request.line - 1, 0)
  const end_line: number = get(request, 'end_line', 0)
  const last = end_line == 0 ? first : At(max([end_line - 1, first.row]), v:numbermax)
  return {first: first, last: last, is_point: end_line == 0}
enddef

# Opening and closing.

# Show a buffer and give it the focus. Returns {win, note, error}.
def Enter(bufnr: number): dict<any>
  if mode() =~# "[vV\<C-v>]"
    execute "normal! \<Esc>"
  endif
  const win = ToEnter(bufnr)
  silent! win_gotoid(win)
  if winbufnr(win) == bufnr
    # Add a jump for CTRL-O. Entering another buffer adds one by itself.
    normal! m'
    return {win: win, note: '', error: ''}
  endif
  return extend({win: win}, file_load.InWindow(win, bufnr))
enddef

# Load a buffer without giving it the focus, and show it if another window can and it is not to be unseen.
# Returns the same;
# `win` is 0 if none shows it.
def Load(bufnr: number, is_unseen: bool): dict<any>
  const win = is_unseen ? 0 : ToShow(bufnr)
  const loaded = win == 0 ? file_load.Hidden(bufnr)
    : winbufnr(win) == bufnr ? {note: '', error: ''} : file_load.InWindow(win, bufnr)
  return extend({win: win}, loaded)
enddef

def Open(request: dict<any>): dict<any>
  const path = file.Absolute(request.path)
  const was_open: bool = get(buffers.Lookup(path), 'is_open', false)
  const added = file_load.Add(path)
  if has_key(added, 'refusal')
    return {error: added.refusal}
  endif
  const bufnr: number = added.bufnr
  setbufvar(bufnr, '&buflisted', true)
  const is_frontmost: bool = get(request, 'make_frontmost', true)
  const has_focus = is_frontmost && IsUserFree()
  const here = win_getid()
  const shown = has_focus ? Enter(bufnr) : Load(bufnr, get(request, 'is_unseen', false))
  if shown.error !=# ''
    return {error: shown.error}
  endif

  const passage = PassageIn(bufnr, request)
  if !empty(passage) && has_focus
    Select(passage)
  elseif !empty(passage) && shown.win > 0 && shown.win != here
    ShowPassage(shown.win, passage)
  endif
  final opened = {
    path: path,
    languageId: getbufvar(bufnr, '&filetype'),
    lineCount: getbufinfo(bufnr)[0].linecount,
    wasOpen: was_open,
    isShown: shown.win > 0,
  }
  const notes = [shown.note, is_frontmost && !has_focus ? AWAY : '']
    ->filter((_, note) => note !=# '')
  return empty(notes) ? opened : extend(opened, {note: join(notes)})
enddef

# Open a file in a window, and select a passage of it. `request` has the `path`, and may have
# `make_frontmost` (whether the file gets the focus; true by default), `is_unseen` (it is only loaded and
# listed, also without the focus), a `passage` (`first` and `last`)
# or `line` and `end_line` (from 1). Returns {path, languageId, lineCount, wasOpen, isShown}; a `note`
# in sentences if anything was unexpected; or an `error`.
export def OpenFile(request: dict<any>): dict<any>
  const outcome = reason.Attempt(Open, [request])
  moment.Settle()
  screen.Draw()
  return outcome[0] ? outcome[1] : {error: outcome[1]}
enddef

# Why a buffer must stay open, as one sentence; empty if it need not.
def Obstacle(bufnr: number): string
  const name = file.Name(bufnr)
  if getbufvar(bufnr, '&modified')
    return $'{name} has unsaved changes; it stays open.'
  elseif bufnr() == bufnr && !IsUserFree()
    return $'The user is typing in {name}; it stays open.'
  elseif win_findbuf(bufnr)->indexof((_, win) => IsInDiff(win)) >= 0
    return $'{name} is part of a diff; it stays open.'
  endif
  return ''
enddef

def IsFile(bufnr: number): bool
  return buflisted(bufnr) && getbufvar(bufnr, '&buftype') ==# '' && bufname(bufnr) !=# ''
enddef

# An empty buffer like the one that Vim starts with.
def Blank(): number
  for info in getbufinfo({buflisted: 1})
    if info.name ==# '' && !info.changed && getbufvar(info.bufnr, '&buftype') ==# ''
      return info.bufnr
    endif
  endfor
  const bufnr = bufadd('')
  setbufvar(bufnr, '&buflisted', true)
  return bufnr
enddef

# The buffer that replaces a window's own: its alternate file, else the most recently used file,
# else an empty buffer.
def Replacement(win: number): number
  const current = winbufnr(win)
  const alternate = str2nr(trim(win_execute(win, 'echo bufnr("#")')))
  if alternate > 0 && alternate != current && IsFile(alternate)
    return alternate
  endif
  const others = range(1, bufnr('$'))->filter((_, bufnr) => bufnr != current && IsFile(bufnr))
  return empty(others) ? Blank() : recent.Sort(others)[0]
enddef

# Close a window if it still exists and is not Vim's last one; never one whose unsaved changes would
# be lost. With 'equalalways' all others would become equal in size.
def CloseWindow(win: number)
  if !tiling.Has(win) || (tabpagenr('$') == 1 && tiling.Windows(1) == [win])
    return
  endif
  const equalalways = &equalalways
  &equalalways = false
  try
    win_execute(win, 'close')
  finally
    &equalalways = equalalways
  endtry
enddef

def Close(bufnr: number)
  for win in win_findbuf(bufnr)
    if tiling.IsFixed(win)
      CloseWindow(win)
    else
      const error = file_load.InWindow(win, Replacement(win)).error
      if error !=# ''
        throw 'claude-ide: ' .. error
      endif
    endif
  endfor
  execute $'silent bdelete {bufnr}'
enddef

# Close a file that has no unsaved changes. Its windows stay and show another file. Returns
# {closed}, and an `error` if it is not.
export def CloseFile(path: string): dict<any>
  const buffer = buffers.Lookup(path)
  if empty(buffer) || !(buffer.loaded || buffer.listed)
    return {closed: false, error: $'{path} is not open in Vim.'}
  endif
  const refusal = Obstacle(buffer.bufnr)
  if refusal !=# ''
    return {closed: false, error: refusal}
  endif
  const failure = reason.Try(Close, [buffer.bufnr])
  moment.Settle()
  redraw
  return failure ==# '' ? {closed: true} : {closed: false, error: failure}
enddef

# The window in which the user works on a file: the current one, or the last one if they are in a terminal or a
# list. Without such a window it is the current one.
export def Worked(): number
  const here = win_getid()
  const HasFile = (win) => file.Path(winbufnr(win)) !=# ''
  return HasFile(here) ? here : Find([tabpagenr()] + range(1, tabpagenr('$')), HasFile) ?? here
enddef

defcompile
