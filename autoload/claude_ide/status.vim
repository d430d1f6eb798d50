" What users may ask for at any time, in both editors: the text of a status line, which the host composes
" (`status_line.py`) from what is reported here and from what it knows itself; the limits of the user's plan, and
" all sessions, which the host sets again when they have changed.

let s:status = {'state': 'off', 'text': ''}
let s:facts = {} " the fields of `StatusReported`
let s:is_due = v:false
let s:limits = []
let s:sessions = '[]' " as JSON
let s:are_wanted = v:false " whether somebody wants to know the sessions
let s:are_asked = v:false " whether the host knows that, who then reads the stored ones, too

function s:emit_facts() abort
  let s:is_due = v:false
  call claude_ide#editor#Emit('status_reported', s:facts)
endfunction

" Report a fact. Many changes at once are one.
function claude_ide#status#Report(name, value) abort
  if has_key(s:facts, a:name) && string(s:facts[a:name]) ==# string(a:value)
    return
  endif
  let s:facts[a:name] = a:value
  if !s:is_due
    let s:is_due = v:true
    call claude_ide#editor#Soon(function('s:emit_facts'))
  endif
endfunction

" Called by the host with another text: redraw the status lines, and announce it. To Vim a text crosses as lines
" (`editor/vim.py`).
function claude_ide#status#Set(status) abort
  let l:text = type(a:status.text) == v:t_list ? join(a:status.text, '') : a:status.text
  if l:text ==# s:status.text
    return
  endif
  let s:status = extend(copy(a:status), {'text': l:text})
  call claude_ide#editor#DrawStatusLines()
  call claude_ide#editor#Announce('ClaudeStatusChanged', copy(s:status))
endfunction

" The text; empty while there is nothing to show.
function claude_ide#status#Text() abort
  return s:status.text
endfunction

" Called by the host with other limits: announce them.
function claude_ide#status#SetLimits(limits) abort
  let s:limits = a:limits
  call claude_ide#editor#Announce('ClaudeLimits', {'limits': claude_ide#status#Limits()})
endfunction

function claude_ide#status#Limits() abort
  return deepcopy(s:limits)
endfunction

function s:ask_for_sessions() abort
  if s:are_wanted && !s:are_asked && claude_ide#editor#HasHost()
    let s:are_asked = v:true
    call claude_ide#editor#Emit('sessions_asked', {})
  endif
endfunction

" Called by the host: set the sessions, as JSON, and announce that they have changed.
function claude_ide#status#SetSessions(json) abort
  let s:sessions = a:json
  call s:ask_for_sessions()
  call claude_ide#editor#Announce('ClaudeSessionsChanged', {'sessions': json_decode(s:sessions)})
endfunction

" All sessions. The first call has the host read the stored ones, too.
function claude_ide#status#Sessions() abort
  let s:are_wanted = v:true
  call s:ask_for_sessions()
  return json_decode(s:sessions)
endfunction

" The names of the sessions that run in the background.
function claude_ide#status#InBackground() abort
  let l:running = filter(json_decode(s:sessions), {_, each -> each.kind ==# 'background' && each.pid > 0})
  return map(l:running, {_, each -> each.name})
endfunction

" The host has ended: nothing is known any more.
function claude_ide#status#Clear() abort
  let [s:sessions, s:are_asked] = ['[]', v:false]
  if !empty(s:limits)
    call claude_ide#status#SetLimits([])
  endif
  call claude_ide#status#Set({'state': 'off', 'text': ''})
endfunction
