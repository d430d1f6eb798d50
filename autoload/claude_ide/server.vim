" The server of the host, in both editors: its address, whether it serves, its clients; and what it leaves for others:
" the environment variables through which child processes find it, and the lock that announces it to the CLI.

" The last `port` and `token`, kept so that the server can return to them; and the `lock`, the file that announces it,
" empty if there is none.
let s:server = {}
let s:hooks = '' " the path of the Unix socket to which CLIs in terminals report
let s:serves = v:false " whether the host serves or is about to serve
let s:is_serving = v:false
let s:clients = 0
let s:restarts = [] " times of recent restarts
let s:most_restarts = 3
let s:restart_window = 60.0 " seconds

let s:variables = ['CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY']
let s:before = {} " their previous values; v:null if unset
let s:largest_lock = 1000000 " bytes

" A list of hosts that need no proxy, with 127.0.0.1.
function s:without_proxy(hosts) abort
  return empty(a:hosts) ? '127.0.0.1'
        \ : index(split(a:hosts, ','), '127.0.0.1') >= 0 ? a:hosts : a:hosts .. ',127.0.0.1'
endfunction

" The server has bound its port: processes may find it now.
function claude_ide#server#Bound(port, token, lock) abort
  let s:server = {'port': a:port, 'token': a:token, 'lock': a:lock}
  for l:name in empty(s:before) ? s:variables : []
    let s:before[l:name] = getenv(l:name)
  endfor
  call setenv('CLAUDE_CODE_SSE_PORT', string(a:port))
  call setenv('ENABLE_IDE_INTEGRATION', 'true')
  for l:name in ['no_proxy', 'NO_PROXY']
    call setenv(l:name, s:without_proxy(getenv(l:name)))
  endfor
endfunction

function s:report_clients() abort
  call claude_ide#status#Report('clients', s:is_serving ? s:clients : v:null)
endfunction

" The server accepts clients from now on, or does not any more.
function claude_ide#server#Serve(on) abort
  let l:is_news = a:on || s:is_serving
  let [s:serves, s:is_serving, s:clients] = [a:on, a:on, a:on ? s:clients : 0]
  call s:report_clients()
  if l:is_news && has('nvim')
    call v:lua.require'claude_ide.host'.announce('serving', a:on)
  elseif l:is_news
    call claude_ide#host#AnnounceServing(a:on)
  endif
endfunction

" Called by the host when a client connects or disconnects, with their number.
function claude_ide#server#Clients(count) abort
  let l:event = a:count > s:clients ? 'ClaudeConnected' : 'ClaudeDisconnected'
  let s:clients = a:count
  call claude_ide#editor#Announce(l:event, {'clients': a:count})
  call s:report_clients()
endfunction

" The `port`, the `token` and the `lock` of the server that runs and its number of `clients`; empty if none runs.
function claude_ide#server#Running() abort
  return s:is_serving ? extend({'clients': s:clients}, s:server) : {}
endfunction

" Free the port and restore the environment: there is no server until the user starts one.
function s:release() abort
  if has('nvim')
    call v:lua.require'claude_ide.host.port_hold'.release()
  else
    call claude_ide#host#port_hold#Release()
  endif
  for [l:name, l:value] in items(s:before)
    call setenv(l:name, l:value)
  endfor
  let s:before = {}
endfunction

" Called by the host when the server has been stopped on request, or could not be started.
function claude_ide#server#Stopped() abort
  call claude_ide#server#Serve(v:false)
  let s:server.lock = ''
  call s:release()
endfunction

" No host runs, and none is started again.
function claude_ide#server#Release() abort
  call s:release()
  " CLIs in terminals that find no socket wait for nobody.
  if s:hooks !=# ''
    call delete(s:hooks)
  endif
endfunction

" Remove the lock of a host that has died, or that the editor kills: it contains a token.
function claude_ide#server#RemoveLock() abort
  let l:lock = get(s:server, 'lock', '')
  if l:lock ==# ''
    return
  endif
  let s:server.lock = ''
  " Another editor may have the port by now. Opening a pipe would block.
  if getftype(l:lock) ==# 'file' && getfsize(l:lock) <= s:largest_lock
        \ && stridx(join(readfile(l:lock)), '"pid": ' .. getpid() .. ',') >= 0
    call delete(l:lock)
  endif
  " What the host had not finished (`lock_file.py`).
  let [l:folder, l:beginning] = [fnamemodify(l:lock, ':h'), '.' .. fnamemodify(l:lock, ':t') .. '.']
  for l:name in isdirectory(l:folder) ? readdir(l:folder) : []
    if stridx(l:name, l:beginning) == 0 && l:name =~# '\.new$'
      call delete(l:folder .. '/' .. l:name)
    endif
  endfor
endfunction

" The host has ended; a signal may have killed it. Return whether it has served, or was about to.
function claude_ide#server#Ended(is_killed) abort
  let l:has_served = s:is_serving || s:serves && a:is_killed
  call claude_ide#server#Serve(v:false)
  return l:has_served
endfunction

" Count a restart, and refuse it after three within a minute.
function claude_ide#server#MayRestart() abort
  call filter(s:restarts, {_, at -> reltimefloat(reltime(at)) < s:restart_window})
  call add(s:restarts, reltime())
  return len(s:restarts) <= s:most_restarts
endfunction

" Fields of `startup.Options` for a host that `serve`s at once, or does not; `held` is the port that is held. Without
" the hold, another process may have listened on the port of the server, and received the token.
function claude_ide#server#Starting(serve, held) abort
  let s:serves = a:serve
  " A project could bring a folder that is named relatively: settings, the record of trust, the place of the lock.
  if $CLAUDE_CONFIG_DIR !~# '^\%(/\|\a:\|$\)'
    call claude_ide#editor#Show('$CLAUDE_CONFIG_DIR is not an absolute path, and does not count', 'warn')
    unlet $CLAUDE_CONFIG_DIR
  endif
  " The same for each host. Its end says whose it is: CLIs that find it without a host wait as long as this editor may
  " start the next one.
  if s:hooks ==# '' && !has('win32')
    let s:hooks = tempname() .. '.' .. getpid()
  endif
  let l:port = get(s:server, 'port', 0)
  return {
        \ 'folders': claude_ide#places#Folders(),
        \ 'serve': a:serve,
        \ 'port': l:port,
        \ 'token': l:port > 0 && a:held == l:port ? s:server.token : '',
        \ 'hooks': s:hooks,
        \ }
endfunction
