" Chooses the Python that runs the host, in both editors.

let s:root = expand('<sfile>:p:h:h:h')
let s:none = 'No Python 3.11 or newer found'
let s:longest_ms = 8000
let s:checked = '' " a Python that can run the host

" The folder of the plugin's checkout.
function claude_ide#python#Root() abort
  return s:root
endfunction

" The Python of a virtual environment.
function s:of(environment) abort
  return a:environment .. (has('win32') ? '/Scripts/python.exe' : '/bin/python')
endfunction

" The folder of the plugin's own virtual environment, which `:ClaudeInstall` creates.
function claude_ide#python#Own() abort
  return claude_ide#editor#Folder('data') .. '/venv'
endfunction

" The option `python`; empty if it is not set.
function claude_ide#python#Configured() abort
  let l:path = claude_ide#editor#Option('python')
  return type(l:path) == v:t_string ? l:path : ''
endfunction

" The user's default comes before a newer one.
function s:usual() abort
  return (has('nvim') ? [expand(get(g:, 'python3_host_prog', ''), 1)] : []) + ['python3']
endfunction

" Find the Python that runs the host. Return its `path`, empty if there is none, with the `problem`; and whether the
" packages of the host are probably there (`is_prepared`).
function claude_ide#python#Find() abort
  let l:given = claude_ide#python#Configured()
  let l:prepared = l:given !=# '' ? [expand(l:given, 1)] : [s:of(claude_ide#python#Own()), s:of(s:root .. '/.venv')]
  let l:candidates = l:prepared + (l:given !=# '' ? [] : s:usual())
  for l:at in range(len(l:candidates))
    let l:path = claude_ide#editor#Program(l:candidates[l:at])
    if l:path !=# ''
      return {'path': l:path, 'problem': '', 'is_prepared': l:at < len(l:prepared)}
    endif
  endfor
  let l:problem = l:given !=# '' ? 'g:claude_ide.python is not executable: ' .. l:given : s:none
  return {'path': '', 'problem': l:problem, 'is_prepared': 0}
endfunction

" Have a Python check whether it can run the host. Return its `version`, or a `problem`.
function claude_ide#python#Check(path) abort
  let l:command = [a:path, '-I', s:root .. '/python/claude_ide/host.py'] + (has('nvim') ? [] : ['--vim']) + ['--check']
  let l:outcome = claude_ide#editor#Run(l:command, s:longest_ms)
  if l:outcome.code == 0
    return {'version': trim(l:outcome.output)}
  endif
  let l:said = split(l:outcome.output, "\n")
  if has('nvim')
    call luaeval("require('claude_ide.messages.log').appender()(_A)", join(l:said + [''], "\n"))
  else
    call claude_ide#messages#log#Append(l:said)
  endif
  return {'problem': get(l:said, -1, a:path .. ' does not run')}
endfunction

" Why no host can be started; empty if one probably can. Only a Python that was not installed for the host is run to
" find out.
function claude_ide#python#Problem() abort
  let l:found = claude_ide#python#Find()
  if l:found.path ==# '' || l:found.is_prepared || l:found.path ==# s:checked
    return l:found.problem
  endif
  let l:problem = get(claude_ide#python#Check(l:found.path), 'problem', '')
  let s:checked = l:problem ==# '' ? l:found.path : s:checked
  return l:problem
endfunction

" The path of a Python from which an environment can be created; empty if there is none.
function claude_ide#python#Recent() abort
  let l:check = ['-I', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))']
  for l:name in s:usual() + map(range(14, 11, -1), {_, minor -> 'python3.' .. minor})
    let l:path = claude_ide#editor#Program(l:name)
    " Only running it tells: a version manager's shim may start an old Python, or none.
    if l:path !=# '' && claude_ide#editor#Run([l:path] + l:check, s:longest_ms).code == 0
      return l:path
    endif
  endfor
  return ''
endfunction

" What the user can do about a problem; and whether `:ClaudeInstall` solves it.
function claude_ide#python#Remedy(problem) abort
  if claude_ide#python#Configured() !=# ''
    return ['Correct or remove g:claude_ide.python', v:false]
  elseif (a:problem =~# 'is too old' || a:problem ==# s:none) && claude_ide#python#Recent() ==# ''
    return ['Install ' .. (a:problem ==# s:none ? 'one' : '3.11 or newer') .. ', then run :ClaudeInstall', v:false]
  endif
  return ['Run :ClaudeInstall', v:true]
endfunction

" A problem in one line, with what the user can do about it; and whether `:ClaudeInstall` is that. The default: nothing
" can be installed.
function claude_ide#python#Refusal(problem = '') abort
  let l:problem = a:problem ==# '' ? s:none : a:problem
  let [l:remedy, l:is_installable] = claude_ide#python#Remedy(l:problem)
  return [l:problem =~# '^g:claude_ide\.python' ? l:problem : l:problem .. '. ' .. l:remedy, l:is_installable]
endfunction
