scriptencoding utf-8
" The bar of a diff, shortened to the columns that there are, for both editors.

let s:all = 10000 " columns
let s:least_warning = 4 " columns
let s:known = {} " the parts of the latest bars
let s:most_known = 20
" What gets the room beside the shortest keys and the warning, the most important first: a part, with the
" columns that it has at most by then; the keys, by how many spellings are shorter. What finds no room goes
" without; the next may still find some. One is only for bars with a warning.
let s:order = [
      \ ['hint', s:all], ['keys', 1], ['path', 6], ['path', 12], ['path', 22, 'with a warning'], ['keys', 2],
      \ ['count', s:all], ['path', 22], ['why', 12], ['path', s:all], ['why', 40], ['title', s:all],
      \ ['one_hunk', s:all], ['keys', 3], ['keys', 4], ['note', s:all], ['keys', 5]]

function s:around(text) abort
  return a:text ==# '' ? '' : ' ' . a:text . ' '
endfunction

function s:cut(text, room) abort
  return strdisplaywidth(a:text) <= a:room ? a:text : printf('%.*S', a:room - 1, a:text) . '…'
endfunction

" A path in so many columns, first without its leading folders; the end of a name distinguishes it better
" than its start.
function s:shortened(path, room) abort
  let [l:shortened, l:parts] = [a:path, split(a:path, '/', 1)]
  while strdisplaywidth(l:shortened) > a:room && len(l:parts) > 1
    call remove(l:parts, 0)
    let l:shortened = '…/' . join(l:parts, '/')
  endwhile
  if strdisplaywidth(l:shortened) <= a:room
    return l:shortened
  endif
  let l:name = l:parts[0]
  while l:name !=# '' && strdisplaywidth(l:name) >= a:room
    let l:name = strcharpart(l:name, 1)
  endwhile
  return '…' . l:name
endfunction

" The parts of a bar by name, with blanks around them. All but `path`, `warning` and `keys`, of which the
" longest spelling comes first, can be missing. They are asked for with each redraw, and are mostly the same.
function claude_ide#bars#Fit(bar, columns) abort
  let l:asked = string([a:bar, a:columns])
  if !has_key(s:known, l:asked)
    let s:known = len(s:known) < s:most_known ? s:known : {}
    let s:known[l:asked] = s:fitted(a:bar, a:columns)
  endif
  return s:known[l:asked]
endfunction

function s:fitted(bar, columns) abort
  let l:keys = reverse(copy(a:bar.keys))
  let l:shown = {'keys': s:around(l:keys[0]), 'warning': s:around(a:bar.warning)}
  let l:got = {'keys': strdisplaywidth(l:shown.keys)}
  let l:room = a:columns - l:got.keys
  if strdisplaywidth(l:shown.warning) > l:room
    let l:shown.warning = l:room >= s:least_warning ? s:cut(a:bar.warning, l:room) : ''
  endif
  let l:room -= strdisplaywidth(l:shown.warning)
  for l:wish in s:order
    let [l:part, l:most] = l:wish[:1]
    let l:text = s:around(l:part ==# 'keys' ? get(l:keys, l:most, '') : get(a:bar, l:part, ''))
    let l:width = min([strdisplaywidth(l:text), l:part ==# 'keys' ? s:all : l:most])
    let l:more = l:width - get(l:got, l:part, 0)
    if l:text !=# '' && l:more <= l:room && (len(l:wish) == 2 || a:bar.warning !=# '')
      let [l:shown[l:part], l:got[l:part], l:room] = [l:text, l:width, l:room - l:more]
    endif
  endfor
  let l:width = min([strdisplaywidth(s:around(a:bar.path)), get(l:got, 'path', 0) + max([l:room, 0])])
  let l:room -= l:width - get(l:got, 'path', 0)
  let l:shown.path = l:width > 2 ? s:around(s:shortened(a:bar.path, l:width - 2)) : ''
  let l:shown.why = has_key(l:got, 'why') ? s:cut(l:shown.why, l:got.why + l:room) : ''
  return l:shown
endfunction
