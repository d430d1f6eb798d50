" What each editor has for the scripts that both run.

let s:poll_ms = 20

" Emit an event to the host.
function claude_ide#editor#Emit(event, fields) abort
  if has('nvim')
    call v:lua.require'claude_ide.channel'.emit(a:event, a:fields)
  else
    call claude_ide#channel#Emit(a:event, a:fields)
  endif
endfunction

function claude_ide#editor#HasHost() abort
  return has('nvim') ? luaeval('require("claude_ide.channel").id ~= nil') : claude_ide#channel#IsOpen()
endfunction

" Wait until a condition holds, or for so many milliseconds; messages of the host are handled meanwhile. Return 0 if it
" holds. An interruption is -2 in Neovim, and an exception in Vim.
function claude_ide#editor#Wait(longest_ms, Condition) abort
  if has('nvim')
    return wait(a:longest_ms, a:Condition, s:poll_ms)
  endif
  let l:since = reltime()
  while !a:Condition() && reltimefloat(reltime(l:since)) * 1000 < a:longest_ms
    execute 'sleep ' .. s:poll_ms .. 'm'
  endwhile
  return a:Condition() ? 0 : -1
endfunction

" Start a host, if none runs; return whether one runs. Without a Python, the first command says what is missing.
function claude_ide#editor#StartHost() abort
  return claude_ide#editor#HasHost() || claude_ide#python#Find().path !=# ''
        \ && (has('nvim') ? luaeval("require('claude_ide.host').start()") : claude_ide#host#Start())
endfunction

" Find a program by its name on PATH, but never in the current folder. Return its absolute path; empty if there is none.
function claude_ide#editor#Program(name) abort
  return has('nvim') ? luaeval("require('claude_ide.system.program').find(_A) or ''", a:name)
        \ : claude_ide#system#program#Find(a:name)
endfunction

" Run a command outside the current folder, where version managers and settings of a project would apply, and wait for
" it. Return its exit `code`, which is not 0 if it has not ended by itself, and its `output`.
function claude_ide#editor#Run(command, longest_ms) abort
  return has('nvim') ? luaeval("require('claude_ide.system.program').run(unpack(_A))", [a:command, a:longest_ms])
        \ : claude_ide#system#program#Run(a:command, a:longest_ms / 1000.0)
endfunction

" Call a function once what runs now is over.
function claude_ide#editor#Soon(Fn) abort
  if has('nvim')
    call luaeval('vim.schedule(function() vim.fn[_A[1]](unpack(_A[2])) end)', [get(a:Fn, 'name'), get(a:Fn, 'args')])
  else
    call timer_start(0, {-> call(a:Fn, [])})
  endif
endfunction

" Raise a `User` event.
function claude_ide#editor#Announce(event, data) abort
  if has('nvim')
    call v:lua.require'claude_ide.messages.announce'.event(a:event, a:data)
  else
    call claude_ide#messages#announce#Event(a:event, a:data)
  endif
endfunction

function claude_ide#editor#DrawStatusLines() abort
  if has('nvim')
    redrawstatus!
  else
    call claude_ide#messages#screen#DrawStatusLines()
  endif
endfunction

" Show one line.
function claude_ide#editor#Show(text, level) abort
  if has('nvim')
    call v:lua.require'claude_ide.messages.message'.show(a:text, a:level)
  else
    call claude_ide#messages#message#Show(a:text, a:level)
  endif
endfunction

" An option as it stands, or without a name a group of options; v:null if it is missing. The host reports wrong ones.
function claude_ide#editor#Option(group, name = '') abort
  let l:Value = get(g:, 'claude_ide', v:null)
  for l:key in a:name ==# '' ? [a:group] : [a:group, a:name]
    let l:Value = type(l:Value) == v:t_dict ? get(l:Value, l:key, v:null) : v:null
  endfor
  return l:Value
endfunction

" Our folder for what outlives the editor, below the one for data or for state. One that is named relatively does not
" count, as in the XDG specification: it would be in the project.
function claude_ide#editor#Folder(kind) abort
  let [l:given, l:usual] = a:kind ==# 'data' ? [$XDG_DATA_HOME, '~/.local/share'] : [$XDG_STATE_HOME, '~/.local/state']
  let l:home = has('nvim') ? stdpath(a:kind) : l:given
  if l:home !~# '^\%(/\|\a:\)'
    let l:home = expand(l:usual, 1) .. (has('nvim') ? '/nvim' : '')
  endif
  return l:home .. '/claude_ide'
endfunction

" The loaded buffer of a file; 0 if there is none.
function claude_ide#editor#Loaded(path) abort
  let l:bufnr = has('nvim') ? luaeval("require('claude_ide.file.buffers').loaded(_A)", a:path)
        \ : claude_ide#file#buffers#Loaded(a:path)
  return l:bufnr is v:null ? 0 : l:bufnr
endfunction

" The window in which the user works on a file, or else is.
function claude_ide#editor#FileWindow() abort
  return has('nvim') ? luaeval("require('claude_ide.tools.place').window()") : claude_ide#file#open#Worked()
endfunction

" A text as one harmless line.
function claude_ide#editor#OneLine(text) abort
  return has('nvim') ? luaeval("require('claude_ide.messages.plain').one_line(_A)", a:text)
        \ : claude_ide#messages#plain#OneLine(a:text)
endfunction

" The reason in an error.
function claude_ide#editor#Reason(raised) abort
  return has('nvim') ? luaeval("require('claude_ide.messages.reason').of(_A)", a:raised)
        \ : claude_ide#messages#reason#Of(a:raised)
endfunction

" The path of a buffer's file; empty if it has none.
function claude_ide#editor#Path(bufnr) abort
  return has('nvim') ? luaeval("require('claude_ide.file.path').path(_A) or ''", a:bufnr) : claude_ide#file#path#Path(a:bufnr)
endfunction

" Let the host have the current selection, or lines, until the user selects something else.
function claude_ide#editor#HoldSelection(lines) abort
  if has('nvim')
    call luaeval("require('claude_ide.selection').hold(_A[1] and _A or nil)", a:lines)
  else
    call claude_ide#selection#Hold(a:lines)
  endif
endfunction

" Run an Ex command with a loaded buffer current.
function claude_ide#editor#Inside(bufnr, command) abort
  if has('nvim')
    call luaeval('vim.api.nvim_buf_call(_A[1], function() vim.cmd(_A[2]) end)', [a:bufnr, a:command])
  else
    call claude_ide#window#inside#Run(a:bufnr, 'legacy ' .. a:command)
  endif
endfunction

" Ask for one of several texts. The function with a name gets its index from 1, or 0 if there is no answer.
function claude_ide#editor#Select(prompt, items, answered) abort
  if has('nvim')
    call luaeval("require('claude_ide.ui.vim_ui').select(_A[1], _A[2], function(index) vim.fn[_A[3]](index or 0) end)",
          \ [a:prompt, a:items, a:answered])
  else
    call claude_ide#ui#vim_ui#Select(a:prompt, a:items, function(a:answered))
  endif
endfunction
