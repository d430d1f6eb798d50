" What waits until the user can be taken elsewhere, such as an edit or a plan, and the message that names it, in both
" editors.

let s:poll_ms = 100
let s:mention_ms = 3000

let s:entries = [] " {number, what, since, is_mentioned}, oldest first
let s:last = 0
let s:held = 0 " how many entries the user is holding back
let s:is_polling = v:false

function s:now_ms() abort
  return has('nvim') ? luaeval('vim.uv.now()') : float2nr(reltimefloat(reltime()) * 1000)
endfunction

function s:set_count(count) abort
  if a:count != s:held
    let s:held = a:count
    call claude_ide#status#Report('held', s:held)
    call claude_ide#editor#Announce('ClaudeWaiting', {'count': s:held})
  endif
endfunction

" Name what waits in one message. Notifications are often narrow and cut off: it comes first.
function s:mention(remedy) abort
  let l:due = filter(copy(s:entries),
        \ {_, entry -> !entry.is_mentioned && s:now_ms() - entry.since >= s:mention_ms})
  if empty(l:due) || !(has('nvim') ? luaeval("require('claude_ide.timing.moment').can_notify()")
        \ : claude_ide#timing#moment#CanNotify())
    return
  endif
  let l:waits = len(s:entries) > 1 ? printf('and %d more wait', len(s:entries) - 1) : 'waits'
  call claude_ide#editor#Show(printf('%s %s: %s', l:due[0].what, l:waits, a:remedy), 'info')
  call map(s:entries, {_, entry -> extend(entry, {'is_mentioned': v:true})})
endfunction

" In a timer of Vim script, Neovim would seem to be busy.
function s:poll_in(ms) abort
  if has('nvim')
    call luaeval("vim.defer_fn(vim.fn['claude_ide#waiting#Poll'], _A) and nil", a:ms)
  else
    call timer_start(a:ms, {-> claude_ide#waiting#Poll()})
  endif
endfunction

" Only for this script. Each poll schedules the next: at a fixed rate, polls would pile up while the editor is busy.
function claude_ide#waiting#Poll() abort
  let s:is_polling = !empty(s:entries)
  if s:is_polling
    call s:poll_in(s:poll_ms)
  endif
  let l:remedy = !s:is_polling ? '' : has('nvim') ? luaeval("require('claude_ide.timing.moment').obstacle() or ''")
        \ : claude_ide#timing#moment#Obstacle()
  call s:set_count(l:remedy !=# '' ? len(s:entries) : 0)
  if l:remedy !=# ''
    call s:mention(l:remedy)
  endif
endfunction

" Count what the user will see, such as "plan", until `Remove`. Return its number. After three seconds one message says
" what it waits for.
function claude_ide#waiting#Add(what) abort
  let s:last += 1
  call add(s:entries, {'number': s:last, 'what': a:what, 'since': s:now_ms(), 'is_mentioned': v:false})
  if !s:is_polling
    let s:is_polling = v:true
    call s:poll_in(0)
  endif
  return s:last
endfunction

function claude_ide#waiting#Remove(number) abort
  call filter(s:entries, {_, entry -> entry.number != a:number})
  call s:set_count(min([s:held, len(s:entries)]))
endfunction
