" The text of a Visual area in the current window, nearly as `y` yanks it, and its range, in both editors.
"
" A point is a dictionary: `row` (from 0), `col` (bytes), and `off`, the cells beyond the character at `col` that
" 'virtualedit' allows.

" More than a model reads, but few enough to send after every key.
let s:most_bytes = 1024 * 1024
" Cutting a block out of one row takes 0.01 ms.
let s:most_block_rows = 2000

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

" The most bytes of a text up to a number, without cutting a character.
function s:whole(text, bytes) abort
  return a:bytes < len(a:text) ? byteidxcomp(a:text, charidx(a:text, a:bytes, 1)) : len(a:text)
endfunction

" Where a text from one point ends: at the other one, or at the limit, which cuts no character.
function s:cut(first, last) abort
  let l:most = line2byte(a:first.row + 1) + a:first.col + s:most_bytes
  if line2byte(a:last.row + 1) + a:last.col <= l:most
    return a:last
  endif
  let l:row = byte2line(l:most) - 1
  return {'row': l:row, 'col': s:whole(getline(l:row + 1), l:most - line2byte(l:row + 1))}
endfunction

" The lines of a block up to the limit.
function s:shortened(lines) abort
  let l:room = s:most_bytes
  for l:index in range(len(join(a:lines, "\n")) > l:room ? len(a:lines) : 0)
    let l:line = a:lines[l:index]
    if len(l:line) > l:room
      let l:kept = l:room <= 0 ? '' : strpart(l:line, 0, s:whole(l:line, l:room))
      return (l:index > 0 ? a:lines[: l:index - 1] : []) + [l:kept]
    endif
    let l:room -= len(l:line) + 1
  endfor
  return a:lines
endfunction

" The CLI ignores the last line of a range that ends in column 0, so a range that includes an empty line has to end at
" the start of the next line.
function s:linewise(first, last) abort
  let l:col = len(getline(a:last.row + 1))
  let l:start = {'row': a:first.row, 'col': 0}
  let l:stop = l:col > 0 ? {'row': a:last.row, 'col': l:col} : {'row': a:last.row + 1, 'col': 0}
  return {'first': l:start, 'last': l:stop, 'cut': s:cut(l:start, l:stop)}
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
  return {'first': a:first, 'last': l:stop, 'cut': s:cut(a:first, l:stop)}
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
        \ 'lines': s:shortened(l:lines),
        \ 'first': {'row': a:first.row, 'col': l:starts[0]},
        \ 'last': l:stop > 0 ? {'row': a:last.row, 'col': l:stop} : {'row': a:last.row + 1, 'col': 0},
        \ }
endfunction

" The Visual area of a kind ("v", "V" or CTRL-V) between two positions of the current buffer, as `getpos()` returns
" them, in any order. `to_eol`: whether a block extends to the end of every line, as after `$`. Returns the points
" `first` and `last` (exclusive), and the `lines` of a block; of other text the point at which it is `cut`, after 1 MiB.
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

" The lines of the text of such an area; a NUL is a line feed in them.
function claude_ide#visual#Lines(area) abort
  if has_key(a:area, 'lines')
    return a:area.lines
  endif
  let [l:first, l:cut] = [a:area.first, a:area.cut]
  " The end may be below the last line.
  let l:lines = getline(l:first.row + 1, l:cut.row + 1) + (l:cut.row < line('$') ? [] : [''])
  let l:lines[-1] = strpart(l:lines[-1], 0, l:cut.col)
  let l:lines[0] = strpart(l:lines[0], l:first.col)
  return l:lines
endfunction
