function! ale#engine#MarkLinterActive(info, linter) abort
  call add(a:info.active_linter_list, a:linter)
endfunction

function! ale#engine#IsCheckingBuffer(buffer) abort
  return !empty(get(get(g:ale_buffer_info, a:buffer, {}), 'active_linter_list', []))
endfunction
