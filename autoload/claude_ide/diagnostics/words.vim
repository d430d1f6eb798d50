vim9script
# Diagnostics in words, for a prompt.

import autoload '../diagnostics.vim'
import autoload '../file/path.vim' as file
import autoload '../messages/plain.vim'

const MOST = 50 # diagnostics of a prompt; the agent can ask for the others

# Those of a buffer that begin in the lines or extend into them, in the order of the lines; all of
# them without lines.
export def OfLines(bufnr: number, lines: list<number>): list<dict<any>>
  return diagnostics.OfFile(file.Path(bufnr))
    ->filter((_, item) => empty(lines)
      || (item.range.start.line < lines[1] && item.range.end.line + 1 >= lines[0]))
    ->sort((one, other) => one.range.start.line - other.range.start.line)
enddef

def InWords(item: dict<any>): string
  const origin = ['source', 'code']->mapnew((_, key) => $'{get(item, key, "")}')
    ->filter((_, part) => part !=# '')->join()
  const from = origin ==# '' ? '' : $' ({origin})'
  const severity = tolower(item.severity)
  return $'- line {item.range.start.line + 1}, {severity}: {plain.OneLine(item.message)}{from}'
enddef

# A list of diagnostics, one a line.
export def List(found: list<dict<any>>): list<string>
  const rest = len(found) - MOST
  return found[: MOST - 1]->mapnew((_, item) => InWords(item))
    + (rest > 0 ? [$'- and {rest} more'] : [])
enddef

defcompile
