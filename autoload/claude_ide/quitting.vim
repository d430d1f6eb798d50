" What becomes of the CLIs in terminals that work when the editor exits (option `terminal.quit`), in both editors: the
" host decides.

let s:longest_ms = 60000 " for which the host may send sessions to the background
let s:written = ['', 'acwrite'] " values of 'buftype'

let s:problem = v:null " why the editor should not exit, once the host has answered; empty: it may
let s:is_asking = v:false
let s:later = [] " what has to wait until it is clear whether the editor exits

" Called by the host.
function claude_ide#quitting#Answer(found) abort
  let s:problem = a:found
endfunction

" Call `Fn` once it is clear whether the editor exits: if a window closes in `ExitPre`, it does not.
function claude_ide#quitting#After(Fn) abort
  if s:is_asking
    call add(s:later, a:Fn)
  else
    call a:Fn()
  endif
endfunction

function s:is_answered() abort
  return s:problem isnot v:null || !claude_ide#editor#HasHost()
endfunction

" Wait for the answer; return whether the user has interrupted this.
function s:is_interrupted() abort
  try
    return claude_ide#editor#Wait(s:longest_ms, function('s:is_answered')) == -2
  catch /^Vim:Interrupt$/
    return v:true
  endtry
endfunction

function s:call(Fn, timer) abort
  call a:Fn()
endfunction

" Return the problem; `how` is the option, `is_certain` is whether the editor exits in any case.
function s:ask(how, is_certain) abort
  let [s:problem, s:is_asking, s:later] = [v:null, v:true, []]
  let l:is_drawn = !has('nvim') || a:how ==# 'ask' || luaeval("require('claude_ide.terminal.quit').draws_terminals()")
  call claude_ide#editor#Emit('quit_asked', {'how': a:how, 'is_certain': a:is_certain, 'is_drawn': l:is_drawn ? v:true : v:false})
  let l:is_interrupted = s:is_interrupted()
  let s:is_asking = v:false
  for l:Fn in s:later
    call timer_start(0, function('s:call', [l:Fn]))
  endfor
  if s:is_answered()
    return s:problem is v:null ? '' : s:problem
  endif
  return l:is_interrupted ? 'you have interrupted what takes Claude to the background' : 'the host does not answer'
endfunction

" Whether `:qa` of Vim ends the CLIs, instead of refusing as for any job.
function s:let_end(may) abort
  for l:terminal in claude_ide#terminals#All()
    if l:terminal.bufnr > 0 && l:terminal.attached ==# ''
      call term_setkill(l:terminal.bufnr, a:may ? 'term' : '')
    endif
  endfor
endfunction

function s:on_exit(is_certain) abort
  let l:wanted = claude_ide#editor#Option('terminal', 'quit')
  if !claude_ide#editor#HasHost() || index(['ask', 'background'], l:wanted) < 0 || (l:wanted ==# 'ask' && a:is_certain)
    return
  endif
  " With changes the editor exits only if buffers are written first, or given up.
  let l:changed = filter(getbufinfo({'bufmodified': 1}), {_, info -> index(s:written, getbufvar(info.bufnr, '&buftype')) >= 0})
  let l:asks = l:wanted ==# 'ask' || a:is_certain || empty(l:changed)
  let l:found = l:asks ? s:ask(l:wanted, a:is_certain) : ''
  let l:is_refused = l:found !=# '' && !a:is_certain
  if has('nvim')
    if l:is_refused
      call v:lua.require'claude_ide.terminal.quit'.refuse(l:found)
    endif
    return
  endif
  if l:is_refused
    call claude_ide#editor#Show(l:found .. ' (add ! to end it)', 'warn')
  endif
  call s:let_end(l:asks && !a:is_certain && !l:is_refused)
  call timer_start(0, {_ -> s:let_end(v:true)})
endfunction

" Follow the exit of the editor from now on: a CLI runs.
function claude_ide#quitting#Watch() abort
  augroup claude_ide_quitting
    autocmd!
    autocmd ExitPre * call s:on_exit(v:false)
    autocmd VimLeavePre * call s:on_exit(v:true)
  augroup END
endfunction
