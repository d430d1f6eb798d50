let s:namespace = nvim_create_namespace('ale')

function! s:Publish(buffer, lines) abort
  let g:ale_buffer_info[a:buffer].active_linter_list = []
  let l:found = []
  for l:line in filter(a:lines, 'v:val =~# ":"')
    let [l:row, l:text] = split(l:line, ':')
    call add(l:found, {'lnum': l:row - 1, 'col': 0, 'message': l:text, 'source': 'grep'})
  endfor
  call v:lua.vim.diagnostic.set(s:namespace, a:buffer, l:found)
endfunction

function! ale#Queue(delay, flag, ...) abort
  call s:Queue(a:flag, get(a:000, 0, bufnr('')))
endfunction

function! s:Queue(flag, buffer) abort
  if !getbufvar(a:buffer, 'ale_enabled', g:ale_enabled)
    return
  endif
  call add(g:ale_runs, [bufname(a:buffer), a:flag])
  let g:ale_buffer_info[a:buffer] = {'active_linter_list': []}
  call ale#engine#MarkLinterActive(g:ale_buffer_info[a:buffer], 'grep')
  let l:job = jobstart(g:ale_command, {
  \ 'stdout_buffered': v:true,
  \ 'on_stdout': {_, lines, __ -> s:Publish(a:buffer, lines)},
  \})
  call chansend(l:job, getbufline(a:buffer, 1, '$') + [''])
  call chanclose(l:job, 'stdin')
endfunction
