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
  return file.Path(bufnr) ==# '' ? 'this buffer has no file' : privacy.Refusal(bufnr)
enddef

# The path of a buffer's file, as an agent in the current folder knows it. A text can begin with it:
# `!sh x/a.py` and `/clear x.py` would be commands of the agent.
export def Path(bufnr: number): string
  const path = fnamemodify(file.Path(bufnr), ':.')
  if path =~# '^[0-9A-Za-z_.]' || path =~# '^/[^[:space:]/]\+/'
    return path
  endif
  return (path[0] ==# '/' ? '/.' : './') .. path
enddef

defcompile
