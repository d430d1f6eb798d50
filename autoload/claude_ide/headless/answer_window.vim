vim9script
scriptencoding utf-8
# The window in which an answer appears. It is a split, because the cursor cannot enter a popup.

import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/reason.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/winbar.vim'

const LARGEST = 30000 # bytes; a larger text gets no file type
const SHARE = 3 # of the screen's lines: one in so many
const LOWEST = 5 # lines
const RUNNING = 'CTRL-C stops · q closes'
const ENDED = 'gy yanks · q closes'
const COMMIT = '<Plug>(claude-commit-staged)'
const ERROR = 'claude_ide_answer_error' # a type of text property

# By buffer: `origin` (the window from which it was opened), `title`, `status` (the progress),
# `keys`, `is_message` (whether the user may change it now), the handlers `Stop`, `Closed` and, for a
# commit message, `Commit`, and the `layout` before it with the command that restores
# its `sizes`.
var views: dict<dict<any>> = {}

def IsOpen(bufnr: number): bool
  return has_key(views, bufnr) && bufloaded(bufnr)
enddef

def DrawStatus(bufnr: number)
  const view = views[bufnr]
  const words = [view.status, view.keys]->filter((_, part) => part !=# '')->join(' · ')
  const line = $' %<{plain.StatusLine(view.title)}%=  {plain.StatusLine(words)} '
  for win in win_findbuf(bufnr)
    winbar.Set(win, line)
  endfor
enddef

def DefineKeys(has_commit: bool)
  const press = '<Cmd>call claude_ide#headless#answer_window#Press("%s")<CR>'
  for [key, action] in items({q: 'Close', '<Esc>': 'Escape', '<C-c>': 'Stop', gy: 'Yank'})
    execute $'nnoremap <buffer> <nowait> {key} {printf(press, action)}'
  endfor
  if has_commit
    execute $'nnoremap <buffer> {COMMIT} {printf(press, "Commit")}'
    if !hasmapto(COMMIT, 'n')
      execute $'nmap <buffer> <nowait> gC {COMMIT}'
    endif
  endif
enddef

# Only for the keys.
export def Press(action: string)
  const view = views[bufnr()]
  if action ==# 'Yank'
    # The whole text, into the register that was named before the key.
    setreg(v:register, getline(1, '$'), 'l')
    message.Show(line('$') == 1 ? '1 line yanked' : $'{line("$")} lines yanked', 'info')
  elseif has_key(view, action)
    call(view[action], [])
  elseif action ==# 'Close' || !view.is_message
    # One <Esc> too many must not lose what the user may have changed.
    Close(bufnr())
  endif
enddef

def Wiped(bufnr: number)
  if has_key(views, bufnr)
    const view = views->remove(bufnr)
    call(view.Closed, [])
  endif
enddef

# Open a window for an answer, and enter it; return its buffer. `handlers` has `Stop`, called on
# CTRL-C, and `Closed`, called when the buffer is wiped out. Throws if it cannot be opened.
export def Open(title: string, handlers: dict<func>): number
  final view: dict<any> = {
    origin: win_getid(),
    title: title,
    status: '',
    keys: RUNNING,
    is_message: false,
    layout: winlayout(),
    sizes: winrestcmd(),
  }
  execute $'silent keepalt botright :{max([LOWEST, &lines / SHARE])}new'
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted undolevels=-1
  setlocal nomodifiable wrap linebreak nonumber norelativenumber nolist nospell
  setlocal foldcolumn=0 signcolumn=no
  const bufnr = bufnr()
  views[bufnr] = extend(view, handlers)
  # Not 'filetype': what plugins start with it may cost more with each line that arrives.
  reason.Try(() => execute('setlocal syntax=markdown'))
  DefineKeys(has_key(handlers, 'Commit'))
  augroup claude_ide_answer
    execute $'autocmd BufWipeout <buffer={bufnr}> ++once Wiped({bufnr})'
    # Another window may show it.
    execute $'autocmd BufWinEnter <buffer={bufnr}> DrawStatus({bufnr})'
  augroup END
  DrawStatus(bufnr)
  moment.Settle()
  return bufnr
enddef

# Close an answer, and take the user back to where they asked.
export def Close(bufnr: number)
  const view = get(views, bufnr, {})
  const has_user = bufnr() == bufnr
  if bufexists(bufnr)
    execute $'silent bwipeout! {bufnr}'
  endif
  if empty(view)
    return
  endif
  if has_user
    win_gotoid(view.origin)
  endif
  # With 'equalalways' the split has resized other windows.
  if winlayout() ==# view.layout
    execute view.sizes
  endif
enddef

# Whether an answer is a complete commit message.
export def IsMessage(bufnr: number): bool
  return has_key(views, bufnr) && views[bufnr].is_message
enddef

# Replace the lines from a row (0-based) to the end. A cursor on the last line follows the end.
def Put(bufnr: number, row: number, lines: list<string>)
  const last = len(getbufline(bufnr, 1, '$'))
  const following = last < 2 ? [] : win_findbuf(bufnr)->filter((_, win) => line('.', win) == last)
  setbufvar(bufnr, '&modifiable', true)
  try
    setbufline(bufnr, row + 1, lines)
    if row + len(lines) < last
      silent deletebufline(bufnr, row + len(lines) + 1, '$')
    endif
  finally
    setbufvar(bufnr, '&modifiable', false)
  endtry
  for win in following
    win_execute(win, 'call cursor("$", 1)')
  endfor
enddef

# Show the answer so far, of which the lines from a row (0-based) have changed.
export def Draw(bufnr: number, text: list<string>, row: number)
  if IsOpen(bufnr)
    Put(bufnr, row, text[row :]->mapnew((_, line) => plain.Harmless(line)))
    screen.Draw()
  endif
enddef

# Show a status; empty for none.
export def SetStatus(bufnr: number, status: string)
  if IsOpen(bufnr)
    views[bufnr].status = status
    DrawStatus(bufnr)
    screen.Draw()
  endif
enddef

# An error is text below the answer, so that it wraps, and can be yanked.
def AddError(bufnr: number, error: string)
  const before = getbufline(bufnr, 1, '$')
  const first = before ==# [''] ? 1 : len(before) + 2
  const lines = split(error, "\n", true)->map((_, line) => plain.Harmless(line))
  Put(bufnr, first == 1 ? 0 : len(before), first == 1 ? lines : [''] + lines)
  if empty(prop_type_get(ERROR))
    prop_type_add(ERROR, {highlight: 'WarningMsg'})
  endif
  for index in range(len(lines))
    prop_add(first + index, 1, {type: ERROR, bufnr: bufnr, length: len(lines[index])})
  endfor
enddef

# The answer is complete, or has ended with an error, which is added to it; a `status` remains.
export def Finish(bufnr: number, error: string, status: string)
  if !IsOpen(bufnr)
    return
  endif
  if error !=# ''
    AddError(bufnr, error)
  endif
  if getbufline(bufnr, 1, '$')->reduce((sum, line) => sum + len(line) + 1, 0) <= LARGEST
    reason.Try(() => setbufvar(bufnr, '&filetype', 'markdown'))
    setbufvar(bufnr, '&bufhidden', 'wipe')
    setbufvar(bufnr, '&modifiable', false)
  endif
  views[bufnr].keys = ENDED
  if has_key(views[bufnr], 'Commit') && error ==# '' && status ==# ''
    views[bufnr].is_message = true
    views[bufnr].keys = $'gC commits · {ENDED}'
    setbufvar(bufnr, '&undolevels', &g:undolevels)
    setbufvar(bufnr, '&modifiable', true)
  endif
  SetStatus(bufnr, status)
  moment.Settle()
enddef

defcompile
