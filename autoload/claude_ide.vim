" The Vimscript API. It is optional, as the one in Lua.

let s:functions = {}

" Give the model a tool, or replace the one with the same name (:help claude_ide#add_tool()).
function! claude_ide#add_tool(tool) abort
  let rest = copy(a:tool)
  let F = remove(rest, 'fn')
  if type(F) != v:t_func
    throw 'claude-ide: add_tool: fn must be a Funcref'
  endif
  call v:lua.require'claude_ide.tools.vimscript'.add(rest)
  let s:functions[rest.name] = F
endfunction

" Take away a tool that was added; return whether there was one.
function! claude_ide#remove_tool(name) abort
  call filter(s:functions, {name -> name !=# a:name})
  return v:lua.require'claude_ide'.remove_tool(a:name)
endfunction

" Called by lua/claude_ide/tools/vimscript.lua.
function! claude_ide#_call(name, arguments, answer) abort
  return call(s:functions[a:name], a:answer is v:null ? [a:arguments] : [a:arguments, a:answer])
endfunction

" A short text for 'statusline' (:help claude-ide.statusline()).
function! claude_ide#statusline() abort
  return v:lua.require'claude_ide'.statusline()
endfunction
