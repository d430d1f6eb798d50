vim9script
# Applies the text edits of a language server to lines.

import autoload '../file/positions.vim'

def Compare(one: dict<any>, other: dict<any>): number
  const start: dict<number> = one.range.start
  const other_start: dict<number> = other.range.start
  return start.line == other_start.line ? start.character - other_start.character
    : start.line - other_start.line
enddef

# The part of a line before or after a position; a position after the last line is at the end.
def Head(lines: list<string>, position: dict<number>): string
  const text = get(lines, position.line, '')
  return strpart(text, 0, positions.Column(text, position.character))
enddef

def Tail(lines: list<string>, position: dict<number>): string
  const text = get(lines, position.line, '')
  return strpart(text, positions.Column(text, position.character))
enddef

# The lines after the edits, which do not overlap. Of several at one position, the first one is first.
export def Apply(lines: list<string>, edits: list<dict<any>>): list<string>
  # The server counts the end of the last line as the begin of another one.
  final edited = lines + ['']
  # From the end, so that earlier positions stay valid.
  for edit in edits->copy()->sort(Compare)->reverse()
    const begin: dict<number> = edit.range.start
    const end: dict<number> = edit.range.end
    const text: string = edit.newText
    const new = split(Head(edited, begin) .. substitute(text, "\r", '', 'g') .. Tail(edited, end), "\n", true)
    const last = min([end.line, len(edited) - 1])
    if begin.line <= last
      remove(edited, begin.line, last)
    endif
    extend(edited, new, min([begin.line, len(edited)]))
  endfor
  return edited[-1] ==# '' ? edited[: -2] : edited
enddef

defcompile
