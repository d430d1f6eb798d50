" The buffer in which the user writes a remark on lines of a file, or a review before it is sent, in both editors: `:w`
" stores or sends it, `:q!` drops it.

let s:least_lines = 5 " of the window
let s:most_lines = 15
let s:texts = {} " {token, title, words, is_changed, place} by buffer, and the `text` once it is written; `is_orphan`: its
" host has ended

function s:text_of(bufnr) abort
  return trim(join(getbufline(a:bufnr, 1, '$'), "\n"))
endfunction

function s:is_lost(bufnr) abort
  let l:its = s:texts[a:bufnr]
  return !has_key(l:its, 'text') && (l:its.is_changed || s:text_of(a:bufnr) !=# trim(l:its.words))
endfunction

function s:wipe(bufnr) abort
  if has('nvim')
    call v:lua.require'claude_ide.window.close'.buffer(a:bufnr)
  else
    execute 'silent! bwipeout!' a:bufnr
  endif
endfunction

" Only for this script: the user has written the buffer.
function claude_ide#remark#Store(bufnr) abort
  if has_key(s:texts[a:bufnr], 'is_orphan')
    return claude_ide#editor#Show('the host has ended: copy your words, and begin again', 'warn')
  endif
  let s:texts[a:bufnr].text = s:text_of(a:bufnr)
  if has('nvim')
    call luaeval("vim.schedule(function() require('claude_ide.window.location').leave_mode(function()"
          \ .. " require('claude_ide.window.close').buffer(_A) end) end)", a:bufnr)
  else
    execute mode() =~# '^[iR]' ? 'stopinsert' : ''
    call timer_start(0, {-> s:wipe(a:bufnr)})
  endif
endfunction

" `:q` refuses to lose what the user has written.
function s:guard(bufnr) abort
  call setbufvar(a:bufnr, '&modified', s:is_lost(a:bufnr))
  call timer_start(0, {-> setbufvar(a:bufnr, '&modified', 0)})
endfunction

function s:ended(bufnr) abort
  let l:its = remove(s:texts, a:bufnr)
  call claude_ide#editor#Emit('answered', extend({'token': l:its.token}, has_key(l:its, 'text') ? {'text': l:its.text} : {}))
  if !has('nvim') && winbufnr(0) == a:bufnr
    " A later review may be open by then.
    call timer_start(0, {-> has_key(s:texts, bufnr('%')) || claude_ide#window#location#GoBack(l:its.place)})
  endif
endfunction

" Called by the host: let the user write a remark. Emits `answered` {token, text?}; without `text` if they drop it. The
" words are those of the remark that is there, or a review; `is_changed`: the user has written them.
function claude_ide#remark#Write(token, title, words, is_changed) abort
  let l:lines = split(a:words, "\n", 1)
  let l:height = max([s:least_lines, min([len(l:lines) + 1, s:most_lines, &lines - 6])])
  let l:its = {'token': a:token, 'title': a:title, 'words': a:words, 'is_changed': a:is_changed}
  if has('nvim')
    let l:bufnr = nvim_create_buf(v:false, v:true)
    call luaeval("require('claude_ide.window.label').give(_A[1], 'claude-remark', _A[2])", [l:bufnr, a:title])
    call luaeval("require('claude_ide.window.scratch').enter_split(unpack(_A))", [l:bufnr, 'below', l:height])
    setlocal winfixbuf
  else
    let l:its.place = claude_ide#window#location#Current()
    let l:bufnr = claude_ide#window#label#NewBuffer('claude-remark', a:title)
    execute 'botright' l:height .. 'split'
    execute 'silent buffer' l:bufnr
    setlocal nonumber norelativenumber nocursorbind noscrollbind nodiff
  endif
  let s:texts[l:bufnr] = l:its
  setlocal bufhidden=wipe buftype=acwrite noswapfile nomodeline winfixheight wrap
  call setline(1, l:lines)
  setlocal nomodified
  if has('nvim')
    call luaeval("require('claude_ide.colouring').set_filetype(_A, 'markdown')", l:bufnr)
    call luaeval("require('claude_ide.file.command_buffer').listen(_A, function() vim.fn['claude_ide#remark#Store'](_A) end)",
          \ l:bufnr)
    call v:lua.require'claude_ide.file.command_buffer'.write_on_exit(l:bufnr)
  else
    setlocal filetype=markdown
    call claude_ide#file#command_buffer#Listen(l:bufnr, function('claude_ide#remark#Store', [l:bufnr]), {-> 0})
  endif
  nnoremap <buffer> ZZ <Cmd>write<CR>
  augroup claude_ide_remark
    execute printf('autocmd QuitPre <buffer=%d> call s:guard(%d)', l:bufnr, l:bufnr)
    execute printf('autocmd BufWipeout <buffer=%d> call s:ended(%d)', l:bufnr, l:bufnr)
  augroup END
  if a:words ==# '' && has('nvim')
    startinsert
  elseif a:words ==# ''
    " After :startinsert the next key would still be a command of Normal mode: Vim waits for it.
    call feedkeys('i', 'ni')
  endif
endfunction

" Called by the host: close what the user writes, which a later review replaces. What they have changed is kept in another
" buffer.
function claude_ide#remark#Close(token) abort
  for [l:bufnr, l:its] in map(items(filter(copy(s:texts), {_, its -> its.token == a:token})),
        \ {_, each -> [str2nr(each[0]), each[1]]})
    if s:is_lost(l:bufnr)
      let l:lines = getbufline(l:bufnr, 1, '$')
      let l:kept = has('nvim') ? luaeval("require('claude_ide.file.command_buffer').keep(unpack(_A))",
            \ [l:its.title, join(l:lines, "\n"), 'your text is', 'markdown'])
            \ : claude_ide#file#command_buffer#Keep(l:its.title, l:lines, 'your text is', 'markdown')
      call claude_ide#editor#Show(l:kept, 'warn')
    endif
    call s:wipe(l:bufnr)
  endfor
endfunction

" The host has ended, which would have taken the texts.
function claude_ide#remark#HostEnded() abort
  call map(s:texts, {_, its -> extend(its, {'is_orphan': v:true})})
endfunction
