vim9script
# Lines of a buffer that Claude rewrites: found again after changes, and replaced.
#
# A target is {bufnr, name, base, first, last}: the file's name, for a buffer that keeps the new
# lines; all lines of the buffer when Claude was asked; and the rows of those to rewrite, 0-based,
# the last one exclusive.

import autoload '../file/kept.vim'
import autoload '../file/path.vim'
import autoload '../file/rebase.vim'
import autoload '../file/text.vim' as file_text

# All lines of a buffer.
export def All(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

# The name of a buffer for Claude.
export def NameOf(bufnr: number): string
  const name = path.Name(bufnr)
  return name ==# '' ? '[No Name]' : name
enddef

# Lines as the text of a file.
export def Join(lines: list<string>): list<string>
  return lines + ['']
enddef

# The lines of a file's text.
export def Split(text: list<string>): list<string>
  return len(text) > 1 && text[-1] ==# '' ? text[: -2] : text
enddef

# Why the text of a buffer cannot be changed; empty if it can.
export def WhyUnchangeable(bufnr: number): string
  if !bufloaded(bufnr)
    return 'the buffer is gone'
  elseif !getbufvar(bufnr, '&modifiable')
    return "this buffer is read-only ('nomodifiable')"
  endif
  return ''
enddef

# Why lines would not reach Claude as they are; empty if they would. `json_encode()` replaces bytes
# that are not UTF-8, and the rewritten lines would lose them.
export def WhyUnsendable(lines: list<string>): string
  return file_text.IsUtf8(lines) ? '' : 'these lines are not UTF-8'
enddef

# Where the lines are now: [first, last], or nothing if they have changed.
def Locate(target: dict<any>, current: list<string>): list<number>
  const first: number = target.first
  const last: number = target.last
  var shift = 0
  for [start, count, _, added] in rebase.Hunks(target.base, current)
    # For no lines, the hunk names the line before them.
    const from = count == 0 ? start : start - 1
    if from + count <= first
      shift += added - count
    elseif from < last
      return []
    endif
  endfor
  return [first + shift, last + shift]
enddef

# Keep new lines in another buffer, so that the answer is not lost. Returns a message.
export def Keep(target: dict<any>, lines: list<string>, why: string): string
  const bufnr: number = target.bufnr
  const filetype = bufexists(bufnr) ? getbufvar(bufnr, '&filetype') : ''
  return kept.Keep(target.name, Join(lines), $'{why}; the rewrite is', filetype)
enddef

def TrailingLineFeeds(lines: list<string>): number
  const filled = copy(lines)->reverse()->indexof((_, line) => line !=# '')
  return filled < 0 ? len(lines) - 1 : filled
enddef

# The lines of Claude's answer. It may end with a line feed, which ends the last line, or with as
# many as the lines given to Claude: then the last one precedes an empty line.
def LinesIn(target: dict<any>, replacement: list<string>): list<string>
  if replacement ==# ['']
    return []
  endif
  const last = len(replacement) - 1
  const text = replacement->mapnew((row, line) =>
    row < last ? substitute(line, '\r$', '', '') : line)
  const given: list<string> = rebase.Part(target.base, target.first, target.last - target.first)
  return TrailingLineFeeds(text) <= TrailingLineFeeds(given) ? text : Split(text)
enddef

# Put Claude's answer in the place of the lines. `base`, `first` and `last` of the target are then
# the current ones. Returns the `lines` of the whole buffer; or, if the answer was kept in another
# one, a message (`error`).
export def Replace(target: dict<any>, replacement: list<string>): dict<any>
  const lines = LinesIn(target, replacement)
  const why = WhyUnchangeable(target.bufnr)
  if why !=# ''
    return {error: Keep(target, lines, why)}
  endif
  const current = All(target.bufnr)
  const rows = Locate(target, current)
  if empty(rows)
    return {error: Keep(target, lines, 'the lines have changed')}
  endif
  const [first, last] = rows
  extend(target, {base: current, first: first, last: last})
  return {lines: rebase.Part(current, 0, first) + lines + current[last :]}
enddef

defcompile
