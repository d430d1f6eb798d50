" What each editor has for the scripts that both run.

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

" An option as it stands; v:null if it is missing.
function claude_ide#editor#Option(group, name) abort
  let l:value = get(g:, 'claude_ide', v:null)
  for l:key in [a:group, a:name]
    let l:value = type(l:value) == v:t_dict ? get(l:value, l:key, v:null) : v:null
  endfor
  return l:value
endfunction
