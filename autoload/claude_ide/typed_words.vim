" The words that are on their way into terminals, in both editors: they are not lost with the CLI or the host, which
" types them (`editor/typing.py`).

let s:words = {} " prompts that have not been typed yet, by number
let s:last = 0

" Keep words that cannot be typed, which the user would otherwise have to write again. Return a hint for the user.
function s:yank(texts) abort
  let l:text = join(a:texts, "\n\n")
  if has('nvim')
    call setreg(v:register, l:text)
  else
    call claude_ide#messages#yank#Text(l:text)
  endif
  return '; your words are yanked, so that you can paste them'
endfunction

" Called by the host: hold a prompt for which there is no terminal yet, until `Finish`. Return its number.
function claude_ide#typed_words#Hold(text) abort
  let s:last += 1
  let s:words[s:last] = a:text
  return s:last
endfunction

" Called by the host: find the terminal in which a client runs (0: the CLI of `:Claude`), or that with a name, and hold
" a prompt for it until `Finish` or `Lose` (`TypedPrompt` of the port).
function claude_ide#typed_words#Begin(pid, text, name = '') abort
  let l:named = claude_ide#terminals#Named(a:name)
  let l:terminal = !empty(l:named) ? l:named
        \ : a:pid > 0 ? claude_ide#terminals#OfClient(a:pid) : claude_ide#terminals#Current()
  if empty(l:terminal)
    let l:here = 'terminal of this ' .. (has('nvim') ? 'Neovim' : 'Vim')
    let l:why = a:pid > 0 ? 'Claude is not in a ' .. l:here : 'no ' .. l:here .. ' runs Claude (:Claude opens one)'
    return {'error': l:why .. s:yank([a:text])}
  endif
  return {'number': claude_ide#typed_words#Hold(a:text), 'bufnr': l:terminal.bufnr,
        \ 'pane': get(l:terminal.pane, 'id', ''), 'tmux': $TMUX}
endfunction

" Called by the host: a prompt has been typed.
function claude_ide#typed_words#Finish(number) abort
  call filter(s:words, {number, _ -> str2nr(number) != a:number})
endfunction

" Called by the host: keep the words of prompts that the CLI has not got. `why` is a message about "your words".
function claude_ide#typed_words#Lose(numbers, why) abort
  let l:texts = map(filter(copy(a:numbers), {_, number -> has_key(s:words, number)}),
        \ {_, number -> remove(s:words, number)})
  if empty(l:texts)
    return
  elseif has('nvim') && luaeval('package.loaded["claude_ide.terminal_prompt"] ~= nil')
    call claude_ide#editor#Show(a:why .. ': :ClaudePrompt has them', 'warn')
    call v:lua.require'claude_ide.terminal_prompt'.keep(l:texts)
  else
    call claude_ide#editor#Show(a:why .. s:yank(l:texts), 'warn')
  endif
endfunction

" The host has ended, which would have typed them.
function claude_ide#typed_words#HostEnded() abort
  let l:numbers = sort(map(keys(s:words), {_, number -> str2nr(number)}), 'n')
  call claude_ide#typed_words#Lose(l:numbers, 'the host has ended before your words were typed')
endfunction
