" Reports whether the user is in the editor, and at which windows of agents; and calls them, in both editors. The host
" decides when (`editor/attention.py`).

let s:is_focused = v:true
let s:is_due = v:false
let s:last = {}

" The place of a window, which is none of an agent's if it is empty.
function s:place_of(win) abort
  let l:launch = getbufvar(winbufnr(a:win), 'claude_ide_launch', '')
  if l:launch !=# '' || has('nvim')
    return l:launch !=# '' ? l:launch : luaeval("require('claude_ide.attention').place_of(_A)", a:win)
  endif
  let l:diff = exists('*claude_ide#diff#InWindow') ? claude_ide#diff#InWindow(a:win) : 0
  return l:diff > 0 ? 'diff.' .. l:diff : ''
endfunction

function s:report_now() abort
  let s:is_due = v:false
  let l:places = map(gettabinfo(tabpagenr())[0].windows, {_, win -> s:place_of(win)})
  let l:now = {'is_focused': s:is_focused, 'here': s:place_of(win_getid()),
        \ 'shown': filter(l:places, {_, place -> place !=# ''})}
  if l:now !=# s:last
    let s:last = l:now
    call claude_ide#editor#Emit('looked', l:now)
  endif
endfunction

" Not at once: what a window shows is known when all that opens it has run.
function s:report() abort
  if !s:is_due
    let s:is_due = v:true
    call claude_ide#editor#Soon(function('s:report_now'))
  endif
endfunction

function s:focus(on) abort
  let s:is_focused = a:on
  call s:report()
endfunction

" A host has started, which knows nothing yet.
function claude_ide#attention#Watch() abort
  let s:last = {}
  augroup claude_ide_attention
    autocmd!
    autocmd BufEnter,BufFilePost,BufWinEnter,FileType,TabEnter,WinClosed,WinEnter * call s:report()
    " Its windows open without events.
    autocmd User ClaudeDiffOpened,ClaudeDiffClosed call s:report()
    autocmd FocusGained * call s:focus(v:true)
    autocmd FocusLost * call s:focus(v:false)
  augroup END
  call s:report()
endfunction

" Called by the host: show one line, and write `ring`, unless it is empty, to the terminal, which then notifies the
" user.
function claude_ide#attention#Call(text, ring) abort
  call claude_ide#editor#Show(a:text, 'info')
  if a:ring !=# '' && has('nvim')
    call v:lua.require'claude_ide.attention'.write(a:ring)
  elseif a:ring !=# ''
    call echoraw(a:ring)
  endif
endfunction
