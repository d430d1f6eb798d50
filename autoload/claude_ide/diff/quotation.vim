vim9script
# A file and its lines, named for an agent.

import autoload '../file/path.vim' as file
import autoload '../privacy.vim'

# Lines in words, given the first and the last one.
export def Lines(lines: list<number>): string
  const [first, last] = lines
  return first == last ? $'line {first}' : $'lines {first}-{last}'
enddef

# Why the lines of a buffer cannot be quoted; empty if they can.
export def Refusal(bufnr: number): string
  return file.Path(bufnr) ==# '' ? 'this buffer has no file' : privacy.Why(bufnr)
enddef

# The path of a buffer's file, as an agent in the current folder knows it.
export def Path(bufnr: number): string
  return fnamemodify(file.Path(bufnr), ':.')
enddef

defcompile
