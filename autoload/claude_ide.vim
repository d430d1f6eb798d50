" The Vimscript API. It is optional, as the one in Lua. Both editors source it.

let s:functions = {}

function! s:need_neovim(name) abort
  if !has('nvim')
    throw 'claude-ide: ' .. a:name .. ' needs Neovim'
  endif
endfunction

" Give the model a tool, or replace the one with the same name (:help claude_ide#add_tool()).
function! claude_ide#add_tool(tool) abort
  call s:need_neovim('add_tool')
  let rest = copy(a:tool)
  let F = type(rest) == v:t_dict && has_key(rest, 'fn') ? remove(rest, 'fn') : 0
  if type(F) != v:t_func
    throw 'claude-ide: add_tool: fn must be a Funcref'
  endif
  call v:lua.require'claude_ide.tools.own'.add_vimscript(rest)
  let s:functions[rest.name] = F
endfunction

" Take away a tool that was added; return whether there was one.
function! claude_ide#remove_tool(name) abort
  call s:need_neovim('remove_tool')
  call filter(s:functions, {name -> name !=# a:name})
  return v:lua.require'claude_ide'.remove_tool(a:name)
endfunction

" Called by lua/claude_ide/tools/own.lua.
function! claude_ide#_call(name, arguments, answer) abort
  return call(s:functions[a:name], a:answer is v:null ? [a:arguments] : [a:arguments, a:answer])
endfunction

" Put a text into the prompt of the chat or of a CLI, or send it (:help claude-ide.send()).
function! claude_ide#send(text, options = {}) abort
  if !has('nvim')
    return claude_ide#sending#Send(a:text, a:options)
  endif
  let [sent; failure] = luaeval("{ pcall(require('claude_ide').send, _A[1], _A[2]) }", [a:text, a:options])
  if !sent
    throw 'claude-ide: ' .. failure[0]
  endif
endfunction

" What waits for review (:help claude-ide.review()).
function! claude_ide#review() abort
  if !has('nvim')
    return claude_ide#review#overlay#Value()
  endif
  return v:lua.require'claude_ide'.review()
endfunction

" All sessions (:help claude-ide.sessions()).
function! claude_ide#sessions() abort
  return claude_ide#status#Sessions()
endfunction

" What is known of the limits of your plan (:help claude-ide.limits()).
function! claude_ide#limits() abort
  return claude_ide#status#Limits()
endfunction

" A short text for 'statusline' (:help claude-ide.statusline()).
function! claude_ide#statusline() abort
  return claude_ide#status#Text()
endfunction
