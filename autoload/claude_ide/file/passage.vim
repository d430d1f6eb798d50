vim9script
# Finds a passage of a buffer by its text or its lines, shows it and selects it.
#
# A passage is {first, last, is_point}. Both positions are {row, col}, in bytes and from 0; `last`
# is exclusive. A point is a position, with nothing to select.

import autoload '../timing/moment.vim'

def LineAt(bufnr: number, row: number): string
  return getbufline(bufnr, row + 1)->get(0, '')
enddef

# The position of a byte offset in the joined lines.
def PositionOf(lines: list<string>, offset: number): dict<number>
  var start = 0
  for [row, line] in items(lines)
    if offset <= start + len(line)
      return {row: row, col: offset - start}
    endif
    start += len(line) + 1
  endfor
  return {row: len(lines) - 1, col: len(lines[-1])}
enddef

# Find the passage from `start_text` to the end of the next `end_text`. Both are literal text;
# without `end_text`, the passage is `start_text` itself. Returns {found, missing}: `found` is empty
# if there is none, and `missing` is one sentence about a text that was not found, or empty.
export def Find(bufnr: number, start_text: string, end_text = ''): dict<any>
  const lines = getbufline(bufnr, 1, '$')
  const text = join(lines, "\n")
  const wanted = substitute(start_text, "\r\n", "\n", 'g')
  const from = stridx(text, wanted)
  if from < 0
    return {found: {}, missing: 'The file does not contain the start text.'}
  endif
  var till = from + len(wanted)
  var missing = ''
  if end_text !=# ''
    const end_wanted = substitute(end_text, "\r\n", "\n", 'g')
    const stop = stridx(text, end_wanted, till)
    if stop >= 0
      till = stop + len(end_wanted)
    else
      missing = 'The file does not contain the end text after the start text.'
    endif
  endif
  const found = {first: PositionOf(lines, from), last: PositionOf(lines, till), is_point: false}
  return {found: found, missing: missing}
enddef

# The passage from `line` to `end_line`, from 1 and inclusive, limited to the lines of the buffer.
# If `end_line` is 0, the passage is the start of `line`.
export def OfLines(bufnr: number, line: number, end_line = 0): dict<any>
  const count = len(getbufline(bufnr, 1, '$'))
  const first = {row: min([max([line, 1]), count]) - 1, col: 0}
  if end_line == 0
    return {first: first, last: first, is_point: true}
  endif
  const last = {row: max([min([end_line, count]) - 1, first.row]), col: 0}
  return ToEndOfLine(bufnr, {first: first, last: last, is_point: false})
enddef

# The passage extended to the end of its last line.
export def ToEndOfLine(bufnr: number, passage: dict<any>): dict<any>
  const row = passage.last.row
  return extendnew(passage, {last: {row: row, col: len(LineAt(bufnr, row))}})
enddef

# Move a window's cursor to the start of a passage, center that line, and open the folds around it.
export def Show(win: number, passage: dict<any>)
  const first = passage.first
  win_execute(win, [
    $'call cursor({first.row + 1}, {first.col + 1})',
    $'silent! :{first.row + 1},{passage.last.row + 1}foldopen!',
    'normal! zz',
  ])
enddef

# The cursor position at which a Visual area ends before `last`, in the current buffer.
def EndOfArea(last: dict<number>): list<number>
  if &selection ==# 'exclusive'
    return [last.row + 1, last.col + 1]
  elseif last.col == 0
    # At the end of the previous line.
    return [last.row, len(getline(last.row)) + 1]
  endif
  const line = getline(last.row + 1)
  return [last.row + 1, byteidxcomp(line, charidx(line, last.col - 1, true)) + 1]
enddef

# Select a passage in the current window, in Visual mode.
export def Select(passage: dict<any>)
  Show(win_getid(), passage)
  if passage.is_point
    return
  endif
  # In Select mode, typing would replace the selected text.
  const selectmode = &selectmode
  &selectmode = ''
  normal! v
  &selectmode = selectmode
  # Only in Visual mode can the cursor be on the end of a line.
  cursor(passage.first.row + 1, passage.first.col + 1)
  normal! o
  call('cursor', EndOfArea(passage.last))
  moment.ClaimVisual()
enddef

defcompile
