" Postpones commands that need the host until its Python is installed, and offers to install it, in both editors.

" Commands that make sense some seconds later; true: only where nothing has changed.
let s:patient = {'Claude': v:false, 'ClaudeAdd': v:false, 'ClaudeAsk': v:true, 'ClaudeChat': v:false,
      \ 'ClaudeCommit': v:true, 'ClaudeEdit': v:true, 'ClaudeSend': v:true, 'ClaudeStart': v:false,
      \ 'ClaudeType': v:false}

" A command: its `name`, `args` and `bang`, what runs it (`Fn`), and the buffer in which it was typed, with its state.
let s:latest = {} " the last one that was run
let s:pending = [] " those that wait for an installation
let s:is_offering = v:false
let s:problem = ''

" Whether an installation runs; nothing is loaded to find out.
function claude_ide#ready#IsInstalling() abort
  return has('nvim')
        \ ? luaeval("(package.loaded['claude_ide.host.install'] or { is_running = function() end }).is_running() or false")
        \ : exists('*claude_ide#host#install#IsRunning') && claude_ide#host#install#IsRunning()
endfunction

" Have a command wait, if it can; return whether it does. It takes the place of the same command: repeated, it would
" toggle what the first one has opened.
function s:postpone(command) abort
  if has_key(s:patient, a:command.name)
    call filter(s:pending, {_, other -> other.name !=# a:command.name || other.args !=# a:command.args})
    call add(s:pending, a:command)
  endif
  return has_key(s:patient, a:command.name)
endfunction

" Call a function of this script when the user can be taken elsewhere.
function s:when_free(name) abort
  if has('nvim')
    call luaeval("require('claude_ide.timing.moment').when_free(vim.fn[_A], vim.fn['claude_ide#ready#Failed'])", a:name)
  else
    call claude_ide#timing#moment#WhenFree(function(a:name), function('claude_ide#ready#Failed'))
  endif
endfunction

" Only for this script.
function claude_ide#ready#Failed(reason) abort
  let s:is_offering = v:false
  call claude_ide#editor#Show(a:reason, 'error')
endfunction

" Only for this script: ask whether to install Python.
function claude_ide#ready#Ask() abort
  let l:prompt = 'claude-ide: ' .. s:problem .. '. Run :ClaudeInstall now?'
  call claude_ide#editor#Select(l:prompt, ['Yes', 'Not now'], 'claude_ide#ready#Answered')
endfunction

" Only for this script: `index` is that of the answer, from 1; 0 if there is none.
function claude_ide#ready#Answered(index) abort
  let s:is_offering = v:false
  if a:index == 1
    ClaudeInstall
  else
    let s:pending = []
    call claude_ide#editor#Show(claude_ide#python#Refusal(s:problem)[0], 'warn')
  endif
endfunction

function s:refuse(command, problem) abort
  if !empty(a:command)
    call s:postpone(a:command)
  endif
  let [l:refusal, l:is_installable] = claude_ide#python#Refusal(a:problem)
  " `:ClaudeStart!` is what starts the server without a user.
  let l:is_typed = !empty(a:command) && !(a:command.name ==# 'ClaudeStart' && a:command.bang)
        \ && !(has('nvim') && empty(nvim_list_uis()))
  if !(l:is_installable && l:is_typed)
    call claude_ide#editor#Show(l:refusal, 'error')
  elseif !s:is_offering && !claude_ide#ready#IsInstalling()
    let [s:is_offering, s:problem] = [v:true, a:problem]
    call s:when_free('claude_ide#ready#Ask')
  endif
endfunction

" Whether a window can open; the command-line window, which the user is told to close, allows no other one. Closing it
" for them would discard what they have typed.
function claude_ide#ready#MayOpen() abort
  if getcmdwintype() ==# ''
    return v:true
  endif
  call claude_ide#editor#Show('close the command-line window first', 'error')
  return v:false
endfunction

" Whether a command can run now. Otherwise `Fn` runs it after the current installation, or one that the user is
" offered, if it makes sense then. It gets whether the user is still in the same text: a range makes sense only there.
function claude_ide#ready#MayRun(name, args, bang, Fn) abort
  if claude_ide#editor#HasHost()
    return v:true
  endif
  let l:command = {'name': a:name, 'args': a:args, 'bang': a:bang, 'Fn': a:Fn, 'bufnr': bufnr('%'), 'tick': b:changedtick}
  if claude_ide#ready#IsInstalling()
    let [l:later, l:level] = s:postpone(l:command) ? [':%s runs afterwards', 'info'] : ['run :%s again afterwards', 'warn']
    call claude_ide#editor#Show('Python is being installed; ' .. printf(l:later, a:name), l:level)
    return v:false
  endif
  let l:problem = claude_ide#python#Problem()
  if l:problem !=# ''
    call s:refuse(l:command, l:problem)
    return v:false
  endif
  let s:latest = l:command
  return v:true
endfunction

" The Python of the host cannot run it: offer an installation, or show why.
function claude_ide#ready#LacksPython(problem) abort
  let [l:command, s:latest] = [s:latest, {}]
  call s:refuse(l:command, a:problem)
endfunction

function s:run(command) abort
  let l:is_here = bufnr('%') == a:command.bufnr && b:changedtick == a:command.tick
  if s:patient[a:command.name] && !l:is_here
    call claude_ide#editor#Show('Python is ready; run :' .. a:command.name .. ' again', 'warn')
  else
    call call(a:command.Fn, [l:is_here ? v:true : v:false])
  endif
endfunction

" The names of the commands that wait, such as `:Claude, :ClaudeStart`; empty without any.
function claude_ide#ready#Waiting() abort
  return join(map(copy(s:pending), {_, command -> ':' .. command.name}), ', ')
endfunction

" Python has been installed: run the commands that wait for it.
function claude_ide#ready#Installed() abort
  if !empty(s:pending)
    call s:when_free('claude_ide#ready#RunPending')
  endif
endfunction

" Only for this script.
function claude_ide#ready#RunPending() abort
  let [l:commands, s:pending] = [s:pending, []]
  for l:command in l:commands
    call s:run(l:command)
  endfor
endfunction
