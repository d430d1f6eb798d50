vim9script
# Diagnostics in words, for a prompt.

import autoload '../diagnostics.vim'
import autoload '../file/path.vim' as file
import autoload '../messages/plain.vim'

def InWords(item: dict<any>): string
  const origin = ['source', 'code']->mapnew((_, key) => $'{get(item, key, "")}')
    ->filter((_, part) => part !=# '')->join()
  const from = origin ==# '' ? '' : $' ({origin})'
  const severity = tolower(item.severity)
  return $'line {item.range.start.line + 1}, {severity}: {plain.OneLine(item.message)}{from}'
enddef

# Those of a buffer that begin in the lines or extend into them, one a row, in the order of the lines;
# all of them without lines.
export def OfLines(bufnr: number, lines: list<number>): list<string>
  return diagnostics.OfFile(file.Path(bufnr))
    ->filter((_, item) => empty(lines)
      || (item.range.start.line < lines[1] && item.range.end.line + 1 >= lines[0]))
    ->sort((one, other) => one.range.start.line - other.range.start.line)
    ->mapnew((_, item) => InWords(item))
enddef

defcompile
