" The text of a Visual area in the current window, nearly as `y` yanks it, and its range, in both editors.
"
" A point is a dictionary: `row` (from 0), `col` (bytes), and `off`, the cells beyond the character at `col` that
" 'virtualedit' allows.

" More than a model reads, but few enough to send after every key.
let s:most_bytes = 1024 * 1024
let s:character_bytes = 4 " at most
" Cutting a block out of one row takes 0.02 ms.
let s:most_block_rows = 10000

" A position from `getpos()`, clamped to the buffer: a mark may be past the end after text was deleted.
function s:point(pos) abort
  let l:row = min([a:pos[1], line('$')]) - 1
  return {'row': l:row, 'col': min([a:pos[2] - 1, len(getline(l:row + 1))]), 'off': a:pos[3]}
endfunction

" The byte column after the character at `col` and its composing characters.
function s:after_character(text, col) abort
  return a:col + len(matchstr(a:text, '\_.', a:col))
endfunction

function s:is_before(one, other) abort
  return a:one.row != a:other.row ? a:one.row < a:other.row
        \ : a:one.col != a:other.col ? a:one.col < a:other.col : a:one.off < a:other.off
endfunction

" Lines up to the limit, which cuts no character.
function s:cut(lines) abort
  if len(join(a:lines, "\n")) <= s:most_bytes
    return a:lines
  endif
  let l:room = s:most_bytes
  for l:index in range(len(a:lines))
    let l:line = a:lines[l:index]
    if len(l:line) > l:room
      let l:kept = l:room <= 0 ? '' : strpart(l:line, 0, byteidxcomp(l:line, charidx(l:line, l:room, 1)))
      return (l:index > 0 ? a:lines[: l:index - 1] : []) + [l:kept]
    endif
    let l:room -= len(l:line) + 1
  endfor
endfunction

" The lines between two points, up to the limit. Text beyond the limit is not read.
function s:read(first, last) abort
  let [l:row, l:col] = [a:last.row, a:last.col]
  let l:stop = line2byte(a:first.row + 1) + a:first.col + s:most_bytes + s:character_bytes
  if line2byte(l:row + 1) + l:col > l:stop
    let l:row = byte2line(l:stop) - 1
    let l:col = min([l:stop - line2byte(l:row + 1), len(getline(l:row + 1))])
  endif
  " The end may be below the last line.
  let l:lines = getline(a:first.row + 1, l:row + 1) + (l:row < line('$') ? [] : [''])
  let l:lines[-1] = strpart(l:lines[-1], 0, l:col)
  let l:lines[0] = strpart(l:lines[0], a:first.col)
  return s:cut(l:lines)
endfunction

" The CLI ignores the last line of a range that ends in column 0, so a range that includes an empty line has to end at
" the start of the next line.
function s:linewise(first, last) abort
  let l:col = len(getline(a:last.row + 1))
  let l:start = {'row': a:first.row, 'col': 0}
  let l:stop = l:col > 0 ? {'row': a:last.row, 'col': l:col} : {'row': a:last.row + 1, 'col': 0}
  return {'text': s:read(l:start, l:stop), 'first': l:start, 'last': l:stop}
endfunction

function s:characterwise(first, last) abort
  let l:text = getline(a:last.row + 1)
  let l:stop = {'row': a:last.row, 'col': a:last.col}
  let l:is_exclusive = &selection ==# 'exclusive' && s:is_before(a:first, a:last) && a:last.off == 0
  if !l:is_exclusive && a:last.col < len(l:text)
    let l:stop.col = s:after_character(l:text, a:last.col)
  elseif !l:is_exclusive && &selection !=# 'old' && &virtualedit !~# 'all' && a:last.row + 1 < line('$')
    " The area includes the line break, unless this is the last line.
    let l:stop = {'row': a:last.row + 1, 'col': 0}
  endif
  return {'text': s:read(a:first, l:stop), 'first': a:first, 'last': l:stop}
endfunction

" The parts of rows inside a block, in screen columns: the texts, and the byte columns of their starts and ends. Unlike
" `y`, they include the whole of a tab or wide character that is covered in part, and short rows are not padded.
" (`getregion()` knows nothing of `$`.) A function for each row would take ten times as long.
function s:slices(first, last, left, right) abort
  let l:texts = getline(a:first + 1, a:last + 1)
  " In a shorter row, virtcol2col() returns the last character; before 9.0.1717 of Vim the last byte of a character.
  let l:starts = map(copy(l:texts), {at, text ->
        \ max([0, byteidx(text, charidx(text, virtcol2col(0, a:first + at + 1, a:left) - 1))])})
  let l:ends = map(copy(l:texts), {at, text ->
        \ max([0, matchend(text, '\_.', byteidx(text, charidx(text, virtcol2col(0, a:first + at + 1, a:right) - 1)))])})
  call map(l:starts, {at, start -> virtcol([a:first + at + 1, start + 1]) < a:left
        \ && matchend(l:texts[at], '\_.', start) == len(l:texts[at]) ? len(l:texts[at]) : start})
  return [map(l:texts, {at, text -> strpart(text, l:starts[at], l:ends[at] - l:starts[at])}), l:starts, l:ends]
endfunction

function s:blockwise(first, last, to_eol) abort
  let l:one = virtcol([a:first.row + 1, a:first.col + 1, a:first.off], 1)
  let l:other = virtcol([a:last.row + 1, a:last.col + 1, a:last.off], 1)
  let l:is_exclusive = &selection ==# 'exclusive' && l:one[1] < l:other[0]
  let l:left = min([l:one[0], l:other[0]])
  let l:right = a:to_eol ? v:maxcol : l:is_exclusive ? l:other[0] - 1 : max([l:one[1], l:other[1]])
  let [l:lines, l:starts, _] = s:slices(a:first.row, min([a:last.row, a:first.row + s:most_block_rows - 1]), l:left, l:right)
  let l:stop = s:slices(a:last.row, a:last.row, l:left, l:right)[2][0]
  return {
        \ 'text': s:cut(l:lines),
        \ 'first': {'row': a:first.row, 'col': l:starts[0]},
        \ 'last': l:stop > 0 ? {'row': a:last.row, 'col': l:stop} : {'row': a:last.row + 1, 'col': 0},
        \ }
endfunction

" The Visual area of a kind ("v", "V" or CTRL-V) between two positions of the current buffer, as `getpos()` returns
" them, in any order. `to_eol`: whether a block extends to the end of every line, as after `$`. Returns the points
" `first` and `last` (exclusive), and the lines of the `text`, 1 MiB at most; a NUL is a line feed in them.
function claude_ide#visual#Area(kind, from, to, to_eol) abort
  let [l:first, l:last] = [s:point(a:from), s:point(a:to)]
  if s:is_before(l:last, l:first)
    let [l:first, l:last] = [l:last, l:first]
  endif
  if a:kind ==# 'V'
    return s:linewise(l:first, l:last)
  elseif a:kind ==# 'v'
    return s:characterwise(l:first, l:last)
  endif
  return s:blockwise(l:first, l:last, a:to_eol)
endfunction
