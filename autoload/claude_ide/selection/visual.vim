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

# The end of a range that includes a line. The CLI ignores the last line of a range that ends in
# column 0, so a range that includes an empty line has to end at the start of the next line.
def AfterLine(row: number): dict<number>
  const col = len(LineAt(row))
  return col > 0 ? {row: row, col: col} : {row: row + 1, col: 0}
enddef

def Linewise(first: dict<number>, last: dict<number>): dict<any>
  const start = {row: first.row, col: 0}
  const stop = AfterLine(last.row)
  return {text: Read(start, stop), first: start, last: stop}
enddef

# With 'selection' "old", an area that ends on an empty line ends on the line above. If it begins in
# the indent, `y` then yanks whole lines.
def WithoutLastLine(first: dict<number>, last: dict<number>): dict<any>
  const is_in_indent = len(matchstr(LineAt(first.row), '^\s*')) >= first.col
  const start = is_in_indent ? {row: first.row, col: 0} : {row: first.row, col: first.col}
  const stop = {row: last.row - 1, col: len(LineAt(last.row - 1))}
  return {text: Read(start, stop), first: start, last: stop}
enddef

def Characterwise(first: dict<number>, last: dict<number>): dict<any>
  const text = LineAt(last.row)
  var stop = {row: last.row, col: last.col}
  const is_exclusive = &selection ==# 'exclusive' && IsBefore(first, last) && last.off == 0
  if &selection ==# 'old' && last.row > first.row && text ==# ''
    return WithoutLastLine(first, last)
  elseif !is_exclusive && last.col < len(text)
    stop.col = AfterCharacter(text, last.col)
  elseif !is_exclusive && &selection !=# 'old' && &virtualedit !~# 'all' && last.row + 1 < line('$')
    # The area includes the line break, unless this is the last line.
    stop = {row: last.row + 1, col: 0}
  endif
  return {text: Read(first, stop), first: first, last: stop}
enddef

# The bounds of the character at a byte column, in bytes and in screen columns.
def Character(row: number, text: string, col: number): dict<number>
  const stop = AfterCharacter(text, col)
  const cells = virtcol([row + 1, col + 1], true)
  # With 'virtualedit', virtcol() says that a tab, or <200d>, ends where it starts.
  const is_printable = strpart(text, col, stop - col) =~# '^\p'
  const to = is_printable ? cells[1] : virtcol([row + 1, stop + 1], true)[0] - 1
  return {col: col, stop: stop, from: cells[0], to: to}
enddef

# The character at a screen column; in a shorter row, the last one.
def CharacterAt(row: number, text: string, cell: number): dict<number>
  # Before 9.0.1717, virtcol2col() returns the last byte of a character.
  const index = charidx(text, virtcol2col(0, row + 1, cell) - 1)
  return Character(row, text, byteidx(text, index))
enddef

# The part of a row inside a block. Like `y`, it replaces a partly covered tab or wide character
# with blanks; unlike `y`, it does not pad short rows. Returns the text, and the byte columns of its
# start and its end. (`getregion()` knows nothing of `$`.)
def Slice(row: number, columns: dict<any>): list<any>
  const text = LineAt(row)
  const left: number = columns.left
  const right: number = columns.right
  if text ==# ''
    return ['', 0, 0]
  elseif columns.are_cells && strchars(text) == len(text) && text !~# '[^ -~]'
    const end = min([right, len(text)])
    return left > len(text) ? ['', len(text), len(text)]
      : [strpart(text, left - 1, end - left + 1), left - 1, end]
  endif
  const first = CharacterAt(row, text, left)
  const last = CharacterAt(row, text, right)
  if first.to < left
    return ['', len(text), len(text)]
  elseif first.col == last.col && (first.from < left || first.to > right)
    return [repeat(' ', min([first.to, right]) - left + 1), first.col, first.stop]
  endif
  const before = first.from < left ? repeat(' ', first.to - left + 1) : ''
  const behind = last.to > right ? repeat(' ', right - last.from + 1) : ''
  const from = first.from < left ? first.stop : first.col
  const to = last.to > right ? last.col : last.stop
  return [before .. strpart(text, from, to - from) .. behind, first.col, last.stop]
enddef

# Whether each character of ASCII is one screen column: nothing is inserted between them.
def AreCells(first: dict<number>, last: dict<number>): bool
  return !&linebreak && &showbreak ==# '' && !&breakindent
    && empty(prop_list(first.row + 1, {end_lnum: last.row + 1}))
enddef

# The screen columns between two corners.
def ColumnsBetween(first: dict<number>, last: dict<number>, to_eol: bool): dict<any>
  const a = virtcol([first.row + 1, first.col + 1, first.off], true)
  const b = virtcol([last.row + 1, last.col + 1, last.off], true)
  var right = max([a[1], b[1]])
  if to_eol
    right = v:maxcol
  elseif &selection ==# 'exclusive' && a[1] < b[0]
    right = b[0] - 1
  endif
  return {left: min([a[0], b[0]]), right: right, are_cells: AreCells(first, last)}
enddef

def Blockwise(first: dict<number>, last: dict<number>, to_eol: bool): dict<any>
  const columns = ColumnsBetween(first, last, to_eol)
  var lines: list<string> = []
  var size = 0
  for row in range(first.row, min([last.row, first.row + MOST_BLOCK_ROWS - 1]))
    lines->add(Slice(row, columns)[0])
    size += len(lines[-1]) + 1
    if size > CAP
      break
    endif
  endfor
  const stop: number = Slice(last.row, columns)[2]
  return {
    text: Cut(lines),
    first: {row: first.row, col: Slice(first.row, columns)[1]},
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
