" Sends any text to the prompt of a chat or a CLI, in both editors: `:ClaudeType`, `:ClaudeFix`, `send()`, and in Neovim
" the prompts of the option `prompts`. The host takes a text from here, with what its placeholders mean, and finds whom
" it is for.

" The options of `Send`, and their types.
let s:options = {'to': [v:t_string], 'submit': [v:t_bool, v:t_number], 'focus': [v:t_bool, v:t_number]}
let s:waiting = {} " the fields of `Sent` in `editor/port/prompts.py`, by number
let s:last = 0
let s:to_eol = v:false " whether the operator was begun with a block that extends to the ends of its lines

" Keep a text until the host takes it. Return its number.
function claude_ide#sending#Keep(sent) abort
  let s:last += 1
  let s:waiting[s:last] = a:sent
  return string(s:last)
endfunction

" Keep a prompt that the user has typed, with a range, for a command. Return its number.
function claude_ide#sending#KeepTyped(text, lines) abort
  let l:facts = claude_ide#contexts#Facts(claude_ide#contexts#Here(a:lines), trim(a:text))
  return claude_ide#sending#Keep({'text': trim(a:text), 'facts': l:facts, 'is_typed': v:true})
endfunction

" Have a command of the host take a text.
function s:hand(command, sent) abort
  let l:number = claude_ide#sending#Keep(a:sent)
  if has('nvim')
    call v:lua.require'claude_ide.sending'.hand(a:command, a:sent.text, l:number)
  else
    let l:Run = {_ -> claude_ide#host#Command(a:command, {'args': [l:number], 'lines': [], 'bang': v:false})}
    if claude_ide#ready#MayRun(a:command, a:sent.text, v:false, l:Run)
      call l:Run(v:true)
    endif
  endif
endfunction

function s:start(here, text, options) abort
  if get(a:options, 'focus')
    " The user means the current selection, but is about to be taken elsewhere.
    let l:area = a:here.selection
    call claude_ide#editor#HoldSelection(empty(l:area) ? [] : [l:area.first, l:area.last])
  endif
  call s:hand('ClaudeType', extend({'text': a:text, 'facts': claude_ide#contexts#Facts(a:here, a:text)}, a:options))
endfunction

" Called by the host: a text that it is to send.
function claude_ide#sending#Take(number) abort
  if !has_key(s:waiting, a:number)
    throw 'claude-ide: the text is gone'
  endif
  return remove(s:waiting, a:number)
endfunction

" Put a text into a prompt, or send it.
function claude_ide#sending#Send(text, options) abort
  if type(a:text) != v:t_string || a:text !~# '\S'
    throw 'claude-ide: send: the text must be a string that is not blank'
  elseif type(a:options) != v:t_dict
    throw 'claude-ide: send: the options must be a ' .. (has('nvim') ? 'table' : 'dictionary')
  endif
  let l:given = {}
  for [l:name, l:value] in items(a:options)
    if !has_key(s:options, l:name)
      throw 'claude-ide: send: there is no option ' .. l:name .. ' (to, submit, focus)'
    elseif index(s:options[l:name], type(l:value)) < 0
      throw 'claude-ide: send: the option ' .. l:name .. ' has a wrong type'
    endif
    let l:given[l:name] = l:name ==# 'to' ? l:value : !empty(l:value)
  endfor
  call s:start(claude_ide#contexts#Here(), a:text, l:given)
endfunction

" Carry out `:[range]ClaudeType[!] {text}`.
function claude_ide#sending#Type(text, lines, bang) abort
  if a:text !~# '\S'
    call claude_ide#editor#Show('usage: :ClaudeType {text}', 'error')
  else
    call s:start(claude_ide#contexts#Here(a:lines), trim(a:text), {'submit': a:bang})
  endif
endfunction

" `:ClaudeSend` with lines of a buffer that has no file.
function claude_ide#sending#Quote(lines, bang) abort
  call s:start(claude_ide#contexts#Here(a:lines), '{selection}', {'focus': a:bang})
endfunction

" `:ClaudeFix`: have the diagnostics of the buffer, or of lines of it, fixed.
function claude_ide#sending#Fix(lines) abort
  let l:facts = claude_ide#contexts#Facts(claude_ide#contexts#Here(a:lines), '')
  call s:hand('ClaudeFix', {'text': '', 'facts': l:facts, 'submit': v:true})
endfunction

" Quote what an operator covers in the prompt, for 'operatorfunc'.
function claude_ide#sending#Operate(kind) abort
  call s:start(claude_ide#contexts#Covered(a:kind, s:to_eol), '{selection}', {})
endfunction

" Begin that operator, for an `<expr>` map in Normal or Visual mode. Return keys.
function claude_ide#sending#Operator() abort
  let s:to_eol = mode() ==# "\<C-v>" && getcurpos()[4] == v:maxcol
  let &operatorfunc = 'claude_ide#sending#Operate'
  return 'g@'
endfunction
