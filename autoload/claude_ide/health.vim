scriptencoding utf-8
" Checks each step from the command to a host, which then checks the rest, in both editors: `:checkhealth claude_ide`,
" and in Vim `:ClaudeCheck`.

let s:root = expand('<sfile>:p:h:h:h')
let s:editor = has('nvim') ? 'Neovim' : 'Vim'
let s:command = has('nvim') ? ':checkhealth claude_ide' : ':ClaudeCheck'
let s:start_ms = 8000
let s:check_ms = has('nvim') ? 60000 : 8000 " in Neovim all agents, of which each has its own limit (`check.py`)
let s:buffer = 'claude-ide://check'
let s:labels = {'ok': 'OK', 'info': 'INFO', 'warn': 'WARNING', 'error': 'ERROR'}

let s:received = v:null " the findings of the host
let s:findings = []

function s:add(level, text, advice = '') abort
  call add(s:findings, [a:level, claude_ide#editor#OneLine(a:text), claude_ide#editor#OneLine(a:advice)])
endfunction

" Called by the host with the findings of its check.
function claude_ide#health#Receive(found) abort
  let s:received = a:found
endfunction

" The `path` of the Python that runs the host, and its `version`, or the `problem`.
function s:python() abort
  let l:found = claude_ide#python#Find()
  return l:found.path ==# '' ? l:found : extend(l:found, claude_ide#python#Check(l:found.path))
endfunction

function s:check_python() abort
  if claude_ide#ready#IsInstalling()
    call s:add('warn', 'Python is being installed', 'Run ' .. s:command .. ' again afterwards')
    return v:false
  endif
  let l:found = s:python()
  if has_key(l:found, 'version')
    call s:add('ok', 'Python ' .. l:found.version .. ': ' .. l:found.path)
    return v:true
  endif
  let l:remedy = claude_ide#python#Remedy(l:found.problem)[0]
  call s:add('error', (l:found.path ==# '' ? '' : l:found.path .. ': ') .. l:found.problem, l:remedy)
  return v:false
endfunction

function s:check_connection() abort
  let s:received = v:null
  call claude_ide#editor#Emit('check', {})
  call claude_ide#editor#Wait(s:check_ms, {-> s:received isnot v:null || empty(claude_ide#server#Running())})
  let l:server = claude_ide#server#Running()
  if empty(l:server)
    call s:add('error', 'The host ended before it answered', 'See :ClaudeLog')
    return
  elseif s:received is v:null
    call s:add('error', 'The host does not answer', 'See :ClaudeLog')
  endif
  if $CLAUDE_CODE_SSE_PORT ==# string(l:server.port)
    call s:add('ok', 'Terminals of this ' .. s:editor .. ' get CLAUDE_CODE_SSE_PORT=' .. l:server.port)
  else
    call s:add('error', 'CLAUDE_CODE_SSE_PORT is ' .. $CLAUDE_CODE_SSE_PORT .. ', not the server’s')
  endif
  for l:finding in s:received is v:null ? [] : s:received
    call s:add(l:finding.level, l:finding.line, get(l:finding, 'advice', ''))
  endfor
endfunction

function s:check_server() abort
  let l:was_running = !empty(claude_ide#server#Running())
  if !l:was_running
    ClaudeStart!
  endif
  if claude_ide#editor#Wait(s:start_ms, {-> !empty(claude_ide#server#Running())}) != 0
    call s:add('error', 'The server does not start', 'See :messages and :ClaudeLog')
    return
  endif
  call s:check_connection()
  if !l:was_running
    ClaudeStop!
    call s:add('info', 'The server was started for this check and stopped afterwards')
  endif
endfunction

" Run all checks; return their findings, each a level ("ok", "info", "warn" or "error"), a line and an advice.
function claude_ide#health#Findings() abort
  let s:findings = []
  let l:file = join(readfile(s:root .. '/python/claude_ide/__init__.py'), "\n")
  call s:add('ok', 'claude-ide ' .. matchstr(l:file, '__version__ = "\zs[^"]\+'))
  call s:add('ok', has('nvim') ? 'Neovim ' .. luaeval('tostring(vim.version())') : get(split(execute('version'), "\n"), 0))
  if s:check_python()
    call s:check_server()
  endif
  if empty(getcompletion('claude-ide-intro', 'help'))
    call s:add('warn', 'The help of the plugin has no tags', 'Run :ClaudeInstall, or :helptags ' .. s:root .. '/doc')
  endif
  return s:findings
endfunction

" `:ClaudeCheck` of Vim: run all checks, and show their results in the window of an earlier report, or in a new one.
function claude_ide#health#Check() abort
  let l:lines = ['# claude_ide', '']
  for [l:level, l:text, l:advice] in claude_ide#health#Findings()
    call add(l:lines, '- ' .. s:labels[l:level] .. ' ' .. l:text)
    call extend(l:lines, l:advice ==# '' ? [] : ['  - ADVICE:', '    - ' .. l:advice])
  endfor
  if bufwinid(s:buffer) > 0
    call win_gotoid(bufwinid(s:buffer))
  else
    execute 'silent botright new' s:buffer
    setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted filetype=markdown
    nnoremap <buffer> <nowait> q <Cmd>close<CR>
  endif
  setlocal modifiable
  silent %delete _
  call setline(1, l:lines)
  setlocal nomodifiable nomodified
endfunction
