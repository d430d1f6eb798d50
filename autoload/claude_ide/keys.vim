" The keys of our windows, as data, in both editors: their maps, their float, and the bar that names them.

function s:map(bufnr, lhs, rhs, desc, options) abort
  if has('nvim')
    call nvim_buf_set_keymap(a:bufnr, 'n', a:lhs, a:rhs, extend({'desc': a:desc, 'nowait': v:true}, a:options))
  else
    call claude_ide#editor#Inside(a:bufnr, (has_key(a:options, 'noremap') ? 'nnoremap' : 'nmap') .. ' <buffer> <nowait> '
          \ .. (has_key(a:options, 'expr') ? '<expr> ' : '') .. a:lhs .. ' ' .. a:rhs)
  endif
endfunction

" Define keys in a buffer: each is what is `typed`, a list; the name of its `plug` map, as in `<Plug>(claude-chat-name)`;
" the `desc`; and the right side `rhs`, an expression if it `is_expr`.
function claude_ide#keys#Define(bufnr, keys) abort
  for l:key in a:keys
    let l:plug = '<Plug>(claude-chat-' .. l:key.plug .. ')'
    let l:options = extend({'noremap': v:true}, has_key(l:key, 'is_expr') ? {'expr': v:true} : {})
    call s:map(a:bufnr, l:plug, l:key.rhs, l:key.desc, l:options)
    for l:lhs in l:key.typed
      call s:map(a:bufnr, l:lhs, l:plug, l:key.desc, {})
    endfor
  endfor
endfunction

" Show keys, each [typed, description], and `g?`, which does so.
function claude_ide#keys#Show(keys) abort
  let l:keys = a:keys + [['g?', 'Show these keys']]
  let l:width = max(map(copy(l:keys), {_, key -> len(key[0])}))
  let l:rows = map(copy(l:keys), {_, key -> printf(' %-*s  %s ', l:width, key[0], key[1])})
  if has('nvim')
    call luaeval("require('claude_ide.chat.page').show_rows(unpack(_A))",
          \ [l:rows, map(l:keys, {row, key -> [row, 0, len(key[0]) + 1, 'ClaudeChatKey']})])
  else
    call claude_ide#window#float#Show(l:rows, {'title': 'Keys'})
  endif
endfunction

" A text for a bar, in which nothing is evaluated; in Vim a bar is a status line, in one colour.
function s:part(text, group) abort
  return (has('nvim') ? '%#' .. a:group .. '#' : '') .. substitute(claude_ide#editor#OneLine(a:text), '%', '%%', 'g')
endfunction

" Set the bar of a window: a title and keys, each [typed, word], as many as there is room for.
function claude_ide#keys#SetBar(win, title, keys) abort
  let l:keys = map(a:keys + (has('nvim') ? [] : [['g?', 'keys']]),
        \ {_, key -> s:part(key[0], 'ClaudeChatKey') .. s:part(' ' .. key[1], 'WinBar') .. '  '})
  let l:bar = s:part(' ' .. a:title, 'Title') .. ' %<%=' .. join(l:keys, '')
  if has('nvim')
    call nvim_set_option_value('winbar', l:bar, {'win': a:win})
  else
    call claude_ide#window#winbar#Set(a:win, l:bar)
  endif
endfunction
