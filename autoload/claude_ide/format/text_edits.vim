vim9script
# What a language server gets to know before it formats, and its text edits applied to lines.

import autoload '../file/positions.vim'

# The byte column (from 0) of a position in a line, by the bits of the encoding in which the server
# counts.
const COLUMNS = {
  8: (text: string, character: number): number => min([character, len(text)]),
  16: positions.Column,
  32: (text: string, character: number): number =>
    character < strchars(text) ? byteidxcomp(text, character) : len(text),
}

def Compare(one: dict<any>, other: dict<any>): number
  const start: dict<number> = one.range.start
  const other_start: dict<number> = other.range.start
  return start.line == other_start.line ? start.character - other_start.character
    : start.line - other_start.line
enddef

# The options of a request to format a buffer.
export def Options(bufnr: number): dict<any>
  const width: number = getbufvar(bufnr, '&shiftwidth')
  return {
    tabSize: width > 0 ? width : getbufvar(bufnr, '&tabstop'),
    insertSpaces: getbufvar(bufnr, '&expandtab') ? true : false,
  }
enddef

# The part of a line before or after a position; a position after the last line is at the end.
def Head(lines: list<string>, position: dict<number>, Column: func): string
  const text = get(lines, position.line, '')
  return strpart(text, 0, Column(text, position.character))
enddef

def Tail(lines: list<string>, position: dict<number>, Column: func): string
  const text = get(lines, position.line, '')
  return strpart(text, Column(text, position.character))
enddef

# The lines after the edits, which do not overlap. Of several at one position, the first one is first.
# `bits` are 8, 16 or 32, for UTF-8, UTF-16 or UTF-32.
export def Apply(lines: list<string>, edits: list<dict<any>>, bits = 16): list<string>
  const Column: func = COLUMNS[bits]
  # The server counts the end of the last line as the begin of another one.
  final edited = lines + ['']
  # From the end, so that earlier positions stay valid.
  for edit in edits->copy()->sort(Compare)->reverse()
    const begin: dict<number> = edit.range.start
    const end: dict<number> = edit.range.end
    const text: string = edit.newText
    const new = split(
      Head(edited, begin, Column) .. substitute(text, "\r", '', 'g') .. Tail(edited, end, Column),
      "\n", true)
    const last = min([end.line, len(edited) - 1])
    if begin.line <= last
      remove(edited, begin.line, last)
    endif
    extend(edited, new, min([begin.line, len(edited)]))
  endfor
  return edited[-1] ==# '' ? edited[: -2] : edited
enddef

defcompile
