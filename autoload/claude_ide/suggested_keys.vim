" The keys that the option `keys` maps in both editors: those of `:help claude-ide-keys`, where the user has no
" map.

let s:group = '<Leader>a'
" The keys of what Vim does not have.
let s:lacking = has('nvim') ? [] : ['chat', 'prompt', 'new', 'switch']

function s:map(mode, lhs, rhs, desc) abort
  if has('nvim')
    call nvim_set_keymap(a:mode, a:lhs, a:rhs, {'desc': a:desc})
  elseif a:rhs !=# ''
    execute a:mode .. 'map' a:lhs a:rhs
  endif
endfunction

" Whether longer keys would delay no map of the user's. A map without a right side, or whose description begins
" with `+`, only names a group: which-key and its kind show it.
function s:is_free(mode) abort
  let l:found = maparg(s:group, a:mode, 0, 1)
  if empty(l:found)
    call s:map(a:mode, s:group, '', '+claude')
  endif
  return get(l:found, 'desc', '')[: 0] ==# '+'
        \ || (!has_key(l:found, 'callback') && index(['', '<Nop>'], get(l:found, 'rhs', '')) >= 0)
endfunction

" Map the keys. If the user has mapped `<Leader>a` itself, none is mapped.
function claude_ide#suggested_keys#Define() abort
  if index(map(['n', 'x'], {_, mode -> s:is_free(mode)}), 0) >= 0
    let l:words = '<leader>a is mapped, so no keys were (:help claude-ide-keys)'
    if has('nvim')
      return luaeval("require('claude_ide.messages.message').show(_A, 'warn')", l:words)
    endif
    return claude_ide#messages#message#Show(l:words, 'warn')
  endif
  " Each has its key, its <Plug> map, a description, and modes.
  for [l:key, l:plug, l:desc, l:modes] in claude_ide#arguments#Json('editor/tables.json').keys
    for l:mode in index(s:lacking, l:plug) < 0 ? split(l:modes, '\zs') : []
      if empty(maparg(s:group .. l:key, l:mode, 0, 1))
        call s:map(l:mode, s:group .. l:key, '<Plug>(claude-' .. l:plug .. ')', l:desc)
      endif
    endfor
  endfor
endfunction
