" What a server leaves for others, in both editors: the environment variables through which child processes find
" it, and the lock that announces it to the CLI.

let s:variables = ['CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY']
let s:before = {} " their previous values; v:null if unset
let s:largest_lock = 1000000 " bytes

" A list of hosts that need no proxy, with 127.0.0.1.
function s:without_proxy(hosts) abort
  return empty(a:hosts) ? '127.0.0.1'
        \ : index(split(a:hosts, ','), '127.0.0.1') >= 0 ? a:hosts : a:hosts .. ',127.0.0.1'
endfunction

" Have child processes find the server at a port.
function claude_ide#server_traces#SetVariables(port) abort
  for l:name in empty(s:before) ? s:variables : []
    let s:before[l:name] = getenv(l:name)
  endfor
  call setenv('CLAUDE_CODE_SSE_PORT', string(a:port))
  call setenv('ENABLE_IDE_INTEGRATION', 'true')
  for l:name in ['no_proxy', 'NO_PROXY']
    call setenv(l:name, s:without_proxy(getenv(l:name)))
  endfor
endfunction

" There is no server until the user starts one.
function claude_ide#server_traces#RestoreVariables() abort
  for [l:name, l:value] in items(s:before)
    call setenv(l:name, l:value)
  endfor
  let s:before = {}
endfunction

" Remove the lock of a host that has died: it contains a token.
function claude_ide#server_traces#RemoveLock(lock) abort
  " Another editor may have the port by now. Opening a pipe would block.
  if getftype(a:lock) ==# 'file' && getfsize(a:lock) <= s:largest_lock
        \ && stridx(join(readfile(a:lock)), '"pid": ' .. getpid() .. ',') >= 0
    call delete(a:lock)
  endif
  " What the host had not finished (`lock_file.py`).
  let [l:folder, l:beginning] = [fnamemodify(a:lock, ':h'), '.' .. fnamemodify(a:lock, ':t') .. '.']
  for l:name in isdirectory(l:folder) ? readdir(l:folder) : []
    if stridx(l:name, l:beginning) == 0 && l:name =~# '\.new$'
      call delete(l:folder .. '/' .. l:name)
    endif
  endfor
endfunction
