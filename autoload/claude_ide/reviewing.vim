" In which folders something waits for review, and the maps of the review, in both editors.

let s:known = {} " folders that the host has been told of
let s:pending = '' " the command of the operator

" The file by which a host says that something waits (`review/store.py`).
function s:mark(folder) abort
  let l:state = $XDG_STATE_HOME[0] ==# '/' ? $XDG_STATE_HOME : expand('~/.local/state', 1)
  return l:state .. '/claude_ide/review/' .. sha256(a:folder)[: 31] .. '/waiting'
endfunction

" The innermost folder around a file that has a mark; empty if none has.
function s:folder_of(path) abort
  let [l:before, l:folder] = ['', fnamemodify(a:path, ':h')]
  while l:folder !=# l:before && empty(getftype(s:mark(l:folder)))
    let [l:before, l:folder] = [l:folder, fnamemodify(l:folder, ':h')]
  endwhile
  return l:folder ==# l:before ? '' : l:folder
endfunction

" Tell the host, which is started if necessary, of the folder of a buffer's file.
function s:look(bufnr) abort
  if !bufloaded(a:bufnr) || bufname(a:bufnr) ==# '' || getbufvar(a:bufnr, '&buftype') !=# ''
    return
  endif
  let l:folder = s:folder_of(claude_ide#places#Resolved(fnamemodify(bufname(a:bufnr), ':p')))
  if l:folder ==# '' || has_key(s:known, l:folder)
    return
  endif
  let s:known[l:folder] = v:true
  if claude_ide#editor#StartHost()
    call claude_ide#editor#Emit('review_left', {'folder': l:folder})
  endif
endfunction

" Look at each file that comes to a window, and again when the user returns, perhaps from another editor.
function claude_ide#reviewing#Watch() abort
  augroup claude_ide_reviewing
    autocmd!
    autocmd BufWinEnter,FocusGained * call claude_ide#editor#Soon(function('s:look', [str2nr(expand('<abuf>'))]))
  augroup END
  call s:look(bufnr('%'))
endfunction

" Go to the next hunk (1) or the previous one (-1), or to the [count]th; from the last one to the next file that waits.
function claude_ide#reviewing#Move(direction) abort
  let l:is_found = has('nvim') ? luaeval("require('claude_ide.review').move(unpack(_A))", [a:direction, v:count1])
        \ : claude_ide#review#overlay#Go(a:direction, v:count1)
  if !l:is_found
    call claude_ide#editor#Emit('review_moved', {'bufnr': bufnr('%'), 'direction': a:direction})
  endif
endfunction

" Keep or revert the hunks in the operator's lines, or [count] hunks from the cursor on.
function claude_ide#reviewing#Operate(type) abort
  " On an empty line the motion ends before it.
  execute line("'[") .. ',' .. max([line("'["), line("']")]) .. s:pending
endfunction

" Keep or revert hunks; for an `<expr>` map in Normal or Visual mode. `.` repeats it.
function claude_ide#reviewing#Operator(command) abort
  let l:is_visual = mode() =~# "^[vV\<C-v>]"
  let s:pending = a:command .. ' ' .. (l:is_visual ? 'lines' : v:count1)
  let &operatorfunc = 'claude_ide#reviewing#Operate'
  return l:is_visual ? 'g@' : 'g@l'
endfunction

" Show all removed lines of the hunk at the cursor, or fold them again.
function claude_ide#reviewing#Show() abort
  if !(has('nvim') ? luaeval("require('claude_ide.review.overlay').unfold()") : claude_ide#review#overlay#Unfold())
    call claude_ide#editor#Show('no unreviewed change here', 'info')
  endif
endfunction
