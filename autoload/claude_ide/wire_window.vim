" `:ClaudeWire`: the messages between the editor and its clients, each a line that unfolds to show it whole, in both editors.
" The host composes the lines (`wire_view.py`).

let s:empty = 'No message yet: they appear here as they are sent'
let s:share = 0.3 " of the screen's height
" Of the parts of a message's line in Neovim: its time and size, its direction, its client.
let s:groups = ['ClaudeChatMeta', 'ClaudeChatKey', 'ClaudeChatTool']
" A message begins with its time, and the lines of its text are indented.
let s:options = [
      \ 'setlocal cursorline foldcolumn=0 nolist nonumber norelativenumber signcolumn=no nowrap nospell',
      \ 'setlocal nodiff noscrollbind nocursorbind winfixheight',
      \ 'setlocal foldenable foldlevel=0 foldminlines=0 foldmethod=expr',
      \ "let &l:foldexpr = 'getline(v:lnum)[0] == \" \" ? \"1\" : \">1\"'",
      \ "let &l:foldtext = '" .. (has('nvim') ? '' : 'getline(v:foldstart)') .. "'",
      \ "let &l:fillchars = 'fold: '",
      \ 'setlocal bufhidden=wipe undolevels=-1 nomodifiable ' .. (has('nvim') ? 'nowinfixbuf' : ''),
      \ 'silent! setlocal filetype=claude-wire']
let s:keys = [['<CR> za', 'Show the whole message, or hide it'], ['zR zM', 'Show all messages whole, or hide them'],
      \ ['q', 'Close, and end the recording']]

let s:buffer = -1
let s:is_opening = v:false

function s:window() abort
  return s:buffer > 0 ? get(win_findbuf(s:buffer), 0) : 0
endfunction

" Only for the map.
function claude_ide#wire_window#ShowKeys() abort
  call claude_ide#keys#Show(s:keys)
endfunction

" Replace lines, from 1; an error is thrown if the text cannot be changed at the moment.
function s:change(first, last, lines) abort
  call setbufvar(s:buffer, '&modifiable', 1)
  try
    call appendbufline(s:buffer, a:last, a:lines)
    if a:last >= a:first
      silent call deletebufline(s:buffer, a:first, a:last)
    endif
  finally
    call setbufvar(s:buffer, '&modifiable', 0)
  endtry
endfunction

function s:closed() abort
  let s:buffer = -1
  " This ends the recording.
  call claude_ide#editor#Emit('wire_closed', {})
endfunction

" Open the window without entering it; return it. In Vim that needs a visit. Autocommands of the user's may fail.
function s:window_below(height) abort
  if has('nvim')
    let s:buffer = nvim_create_buf(v:false, v:true)
    call luaeval("require('claude_ide.window.label').give(_A, 'claude-wire', 'Claude wire')", s:buffer)
    silent! let l:win = nvim_open_win(s:buffer, v:false, {'split': 'below', 'win': -1, 'height': a:height})
    return l:win
  endif
  let l:origin = win_getid()
  execute 'silent! botright' a:height .. 'split'
  silent! enew
  let [s:buffer, l:win] = [bufnr('%'), win_getid()]
  setlocal buftype=nofile noswapfile nobuflisted
  silent file Claude\ wire
  call win_gotoid(l:origin)
  return l:win
endfunction

function s:create() abort
  if has('nvim')
    call v:lua.require'claude_ide.highlights'.define()
  endif
  let l:win = s:window_below(max([3, float2nr(&lines * s:share)]))
  call win_execute(l:win, s:options)
  call claude_ide#keys#Define(s:buffer, [
        \ {'typed': ['<CR>', '<2-LeftMouse>'], 'plug': 'wire-unfold', 'desc': s:keys[0][1], 'rhs': '<Cmd>silent! normal! za<CR>'},
        \ {'typed': [], 'plug': 'wire-all', 'desc': s:keys[1][1], 'rhs': 'zR'},
        \ {'typed': ['q'], 'plug': 'wire-close', 'desc': s:keys[2][1], 'rhs': '<Cmd>close<CR>'},
        \ {'typed': ['g?'], 'plug': 'wire-keys', 'desc': 'Show these keys',
        \   'rhs': '<Cmd>call claude_ide#wire_window#ShowKeys()<CR>'}])
  augroup claude_ide_wire_window
    autocmd!
    execute printf('autocmd BufWipeout <buffer=%d> ++once call s:closed()', s:buffer)
  augroup END
  call claude_ide#keys#SetBar(l:win, 'Wire', [['<CR>', 'unfold'], ['zR', 'all']] + (has('nvim') ? [['g?', 'keys']] : []))
endfunction

function s:open(is_recording) abort
  let s:is_opening = v:false
  if s:window() > 0 && a:is_recording
    call win_gotoid(s:window())
    return
  elseif s:window() == 0
    call s:create()
  endif
  call s:change(1, getbufinfo(s:buffer)[0].linecount, [s:empty])
endfunction

" Called by the host: open the window below, without entering it. If it is open, enter it; it loses its messages instead
" if they are no longer recorded, because its host has ended. In Vim when the user is at rest.
function claude_ide#wire_window#Open(is_recording) abort
  if has('nvim')
    return s:open(a:is_recording)
  endif
  let s:is_opening = v:true
  call claude_ide#timing#moment#WhenAsked({-> s:open(a:is_recording)})
endfunction

" Whether a window is at the end, where the last message is not unfolded: it stays at the end.
function s:follows(win) abort
  let l:closed = str2nr(win_execute(a:win, 'echon foldclosedend(".")'))
  return (l:closed == -1 ? line('.', a:win) : l:closed) == line('$', a:win)
endfunction

" Called by the host: append the lines of messages to an open window, and drop those at its beginning, which are no longer
" kept. Of each message, `heads` has the index of its line, and the bytes at which its first parts end. Returns "closed",
" "done", or "busy" if the text cannot be changed at the moment.
function claude_ide#wire_window#Append(lines, heads, dropped) abort
  if s:is_opening || s:window() == 0
    return s:is_opening ? 'busy' : 'closed'
  endif
  let l:wins = filter(win_findbuf(s:buffer), {_, win -> s:follows(win)})
  let l:last = getbufinfo(s:buffer)[0].linecount
  try
    call s:change(l:last + 1, l:last, a:lines)
    for l:head in has('nvim') ? a:heads : []
      for l:part in range(len(s:groups))
        call nvim_buf_set_extmark(s:buffer, nvim_create_namespace('claude_ide_wire'), l:last + l:head[0],
              \ l:part > 0 ? l:head[l:part] : 0, {'end_col': l:head[l:part + 1], 'hl_group': s:groups[l:part]})
      endfor
    endfor
    call s:change(1, a:dropped, [])
  catch
    return 'busy'
  endtry
  for l:win in l:wins
    call win_execute(l:win, 'normal! G0')
  endfor
  return 'done'
endfunction
