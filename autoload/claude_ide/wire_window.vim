vim9script
# `:ClaudeWire`: the messages between Vim and its clients, each a line that unfolds to show it whole. The
# host composes the lines (`wire_view.py`).

import autoload './channel.vim'
import autoload './timing/moment.vim'
import autoload './window/winbar.vim'

const EMPTY = 'No message yet: they appear here as they are sent'
const NAME = 'Claude wire'
const SHARE = 0.3 # of the screen's height

var buffer = 0 # 0 if there is none
var is_opening = false

def Window(): number
  return buffer > 0 ? win_findbuf(buffer)->get(0, 0) : 0
enddef

# The line of a message begins with its time, and those of its text are indented.
export def Fold(lnum: number): string
  return getline(lnum) =~# '^ ' ? '1' : '>1'
enddef

def SetOptions()
  setlocal cursorline foldcolumn=0 nolist nonumber norelativenumber signcolumn=no nowrap nospell
  setlocal nodiff noscrollbind nocursorbind winfixheight
  setlocal foldenable foldlevel=0 foldminlines=0 fillchars=fold:\ 
  setlocal foldmethod=expr foldexpr=claude_ide#wire_window#Fold(v:lnum)
  setlocal foldtext=getline(v:foldstart)
  winbar.Set(win_getid(), ' Wire%<%=<CR> unfold  zR all  q close ')
enddef

def DefineKeys()
  nnoremap <buffer> <nowait> <Plug>(claude-wire-unfold) <Cmd>silent! normal! za<CR>
  nnoremap <buffer> <nowait> <Plug>(claude-wire-all) zR
  nnoremap <buffer> <nowait> <Plug>(claude-wire-close) <Cmd>close<CR>
  for [key, name] in [['<CR>', 'unfold'], ['<2-LeftMouse>', 'unfold'], ['q', 'close']]
    if !hasmapto($'<Plug>(claude-wire-{name})', 'n')
      execute $'nmap <buffer> <nowait> {key} <Plug>(claude-wire-{name})'
    endif
  endfor
enddef

# Replace lines, from 1; an error is thrown if the text cannot be changed at the moment.
def Change(first: number, last: number, lines: list<string>)
  setbufvar(buffer, '&modifiable', true)
  try
    appendbufline(buffer, last, lines)
    if last >= first
      deletebufline(buffer, first, last)
    endif
  finally
    setbufvar(buffer, '&modifiable', false)
  endtry
enddef

def OpenNow(is_recording: bool)
  is_opening = false
  const origin = win_getid()
  if Window() > 0 && is_recording
    win_gotoid(Window())
    return
  elseif Window() == 0
    execute $'botright :{max([3, float2nr(&lines * SHARE)])}split'
    enew
    buffer = bufnr()
    setlocal buftype=nofile noswapfile undolevels=-1 nobuflisted bufhidden=wipe
    execute 'silent file' fnameescape(NAME)
    setlocal nomodifiable filetype=claude-wire
    DefineKeys()
    SetOptions()
    # Its closing ends the recording.
    autocmd BufWipeout <buffer> ++once buffer = 0 | channel.Emit('wire_closed', {})
    win_gotoid(origin)
  endif
  Change(1, getbufinfo(buffer)[0].linecount, [EMPTY])
enddef

# Called by the host: open the window below, without entering it. If it is open, enter it; it loses its
# messages instead if they are no longer recorded, because its host has ended.
export def Open(is_recording: bool): bool
  is_opening = true
  moment.WhenAsked(() => OpenNow(is_recording))
  return true
enddef

# The windows at the end, where the last message is not unfolded: they stay at the end.
def Following(): list<number>
  return win_findbuf(buffer)->filter((_, win) => {
    const at_end = win_execute(win, 'echo [foldclosedend("."), line("."), line("$")]')->trim()
    const [closed, line, last] = json_decode(at_end)
    return (closed == -1 ? line : closed) == last
  })
enddef

# Called by the host: append lines to an open window, and drop those at its beginning, which are no longer
# kept. Returns "closed", "done", or "busy" if the text cannot be changed at the moment.
export def Append(lines: list<string>, _: list<list<number>>, dropped: number): string
  if is_opening
    return 'busy'
  elseif Window() == 0
    return 'closed'
  endif
  const wins = Following()
  const last = getbufinfo(buffer)[0].linecount
  try
    Change(last + 1, last, lines)
    Change(1, dropped, [])
  catch
    return 'busy'
  endtry
  for win in wins
    win_execute(win, 'normal! G0')
  endfor
  return 'done'
enddef

defcompile
