vim9script
# The text of a Visual area in the current window, as `y` yanks it, and its range.
#
# A point is a dictionary: `row` (from 0), `col` (bytes), and `off`, the cells beyond the character
# at `col` that 'virtualedit' allows.

# Bytes of text: more than a model reads, but few enough to send after every key.
const CAP = 1024 * 1024
const LONGEST_CHARACTER = 4
# Cutting a block out of one row takes up to 20 µs.
const MOST_BLOCK_ROWS = 10000

def LineAt(row: number): string
  return getline(row + 1)
enddef

# A position from `getpos()`, clamped to the buffer: a mark may be past the end after text was
# deleted.
def Point(pos: list<number>): dict<number>
  const row = min([pos[1], line('$')]) - 1
  return {row: row, col: min([pos[2] - 1, len(LineAt(row))]), off: pos[3]}
enddef

# The byte column after the character at `col` and its composing characters.
def AfterCharacter(text: string, col: number): number
  return col + len(matchstr(text, '\_.', col))
enddef

def IsBefore(a: dict<number>, b: dict<number>): bool
  return a.row < b.row
    || (a.row == b.row && (a.col < b.col || (a.col == b.col && a.off < b.off)))
enddef

# Lines up to the limit, which cuts no character.
def Cut(lines: list<string>): list<string>
  if len(join(lines, "\n")) <= CAP
    return lines
  endif
  var room = CAP
  for [index, line] in items(lines)
    if len(line) > room
      const kept = room <= 0 ? '' : strpart(line, 0, byteidxcomp(line, charidx(line, room, true)))
      return (index > 0 ? lines[: index - 1] : [])->add(kept)
    endif
    room -= len(line) + 1
  endfor
  return lines
enddef

# The lines between two points, up to the limit. Text beyond the limit is not read.
def Read(first: dict<number>, last: dict<number>): list<string>
  var row = last.row
  var col = last.col
  const stop = line2byte(first.row + 1) + first.col + CAP + LONGEST_CHARACTER
  if line2byte(row + 1) + col > stop
    row = byte2line(stop) - 1
    col = min([stop - line2byte(row + 1), len(LineAt(row))])
  endif
  var lines = getline(first.row + 1, row + 1)
  if len(lines) <= row - first.row
    # The end is below the last line.
    lines->add('')
  endif
  lines[-1] = strpart(lines[-1], 0, col)
  lines[0] = strpart(lines[0], first.col)
  return Cut(lines)
enddef

# The CLI ignores the last line of a range that ends in column 0, so a range that includes an empty line has to
# end at the start of the next line.
def Linewise(first: dict<number>, last: dict<number>): dict<any>
  const start = {row: first.row, col: 0}
  const col = len(LineAt(last.row))
  const stop = col > 0 ? {row: last.row, col: col} : {row: last.row + 1, col: 0}
  return {text: Read(start, stop), first: start, last: stop}
enddef

def Characterwise(first: dict<number>, last: dict<number>): dict<any>
  const text = LineAt(last.row)
  var stop = {row: last.row, col: last.col}
  const is_exclusive = &selection ==# 'exclusive' && IsBefore(first, last) && last.off == 0
  if !is_exclusive && last.col < len(text)
    stop.col = AfterCharacter(text, last.col)
  elseif !is_exclusive && &selection !=# 'old' && &virtualedit !~# 'all' && last.row + 1 < line('$')
    # The area includes the line break, unless this is the last line.
    stop = {row: last.row + 1, col: 0}
  endif
  return {text: Read(first, stop), first: first, last: stop}
enddef

# The byte column of the character at a screen column; of the last one in a shorter row.
def ColumnAt(row: number, text: string, cell: number): number
  # Before 9.0.1717, virtcol2col() returns the last byte of a character.
  return byteidx(text, charidx(text, virtcol2col(0, row + 1, cell) - 1))
enddef

# The part of a row inside a block, in screen columns. Unlike `y`, it includes the whole of a tab or wide
# character that is covered in part, and does not pad short rows. Returns the text, and the byte columns
# of its start and its end. (`getregion()` knows nothing of `$`.)
def Slice(row: number, left: number, right: number): list<any>
  const text = LineAt(row)
  if text ==# ''
    return ['', 0, 0]
  endif
  const start = ColumnAt(row, text, left)
  const stop = AfterCharacter(text, ColumnAt(row, text, right))
  return virtcol([row + 1, start + 1]) < left && AfterCharacter(text, start) == len(text)
    ? ['', len(text), len(text)] : [strpart(text, start, stop - start), start, stop]
enddef

def Blockwise(first: dict<number>, last: dict<number>, to_eol: bool): dict<any>
  const a = virtcol([first.row + 1, first.col + 1, first.off], true)
  const b = virtcol([last.row + 1, last.col + 1, last.off], true)
  const is_exclusive = &selection ==# 'exclusive' && a[1] < b[0]
  const left = min([a[0], b[0]])
  const right = to_eol ? v:maxcol : is_exclusive ? b[0] - 1 : max([a[1], b[1]])
  var lines: list<string> = []
  var size = 0
  for row in range(first.row, min([last.row, first.row + MOST_BLOCK_ROWS - 1]))
    lines->add(Slice(row, left, right)[0])
    size += len(lines[-1]) + 1
    if size > CAP
      break
    endif
  endfor
  const stop: number = Slice(last.row, left, right)[2]
  return {
    text: Cut(lines),
    first: {row: first.row, col: Slice(first.row, left, right)[1]},
    last: stop > 0 ? {row: last.row, col: stop} : {row: last.row + 1, col: 0},
  }
enddef

# The Visual area of a kind ("v", "V" or CTRL-V) between two positions of the current buffer, as
# `getpos()` returns them, in any order. `to_eol`: whether a block extends to the end of every line,
# as after `$`. Returns the points `first` and `last` (exclusive), and the lines of the `text`, 1
# MiB at most.
export def Area(kind: string, from: list<number>, to: list<number>, to_eol: bool): dict<any>
  const ends = [Point(from), Point(to)]
  const [first, last] = IsBefore(ends[1], ends[0]) ? [ends[1], ends[0]] : ends
  if kind ==# 'V'
    return Linewise(first, last)
  elseif kind ==# 'v'
    return Characterwise(first, last)
  endif
  return Blockwise(first, last, to_eol)
enddef

defcompile
