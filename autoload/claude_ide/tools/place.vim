vim9script
# Finds what a model names: a file, and a position in it.

import autoload '../file/buffers.vim'
import autoload '../file/path.vim' as file
import autoload '../window/recent.vim'
import autoload '../window/tiling.vim'

# A byte column of a line (from 0) as a column for the model: in characters, from 1. One past the
# end counts as the end.
export def Column(text: string, col: number): number
  return strpart(text, 0, max([col, 0]))->strchars() + 1
enddef

# A column of the model's as a byte column (from 0).
export def Byte(text: string, column: number): number
  const col = byteidxcomp(text, column - 1)
  return col < 0 ? len(text) : col
enddef

# A line of a buffer; empty if there is none, or if the buffer is not loaded.
export def Line(bufnr: number, line: number): string
  return getbufline(bufnr, line)->get(0, '')
enddef

# What a buffer is called: the path of its file, or its name.
export def Name(bufnr: number): string
  const path = file.Path(bufnr)
  return path !=# '' ? path : file.Name(bufnr)
enddef

# The buffer of a file that is loaded, without loading one. Throws an error, which ends with what
# follows for the caller.
export def OpenBuffer(path: string, consequence: string): number
  const found = buffers.Lookup(path)
  if !get(found, 'loaded', false)
    throw $'claude-ide: {path} is not open in Vim{consequence}'
  endif
  return found.bufnr
enddef

def HasFile(win: number): bool
  return file.Path(winbufnr(win)) !=# ''
enddef

# The window in which the user works on a file: the current one, or the last one if they are in a
# terminal or a list. Without such a window it is the current one.
export def Window(): number
  const here = win_getid()
  for tab in HasFile(here) ? [] : [tabpagenr()] + range(1, tabpagenr('$'))
    const wins = tiling.Windows(tab)->copy()->filter((_, win) => HasFile(win))
    if !empty(wins)
      const latest = recent.Sort(wins->mapnew((_, win) => winbufnr(win)))[0]
      return wins[indexof(wins, (_, win) => winbufnr(win) == latest)]
    endif
  endfor
  return here
enddef

# Whether a buffer shows what a program has printed, or the commands that the user has typed.
# Secrets may be in both.
export def IsPrivate(bufnr: number): bool
  return getbufvar(bufnr, '&buftype') ==# 'terminal'
    || (getcmdwintype() !=# '' && bufnr == bufnr())
enddef

# Throws an error if a buffer has no such line.
export def CheckLine(bufnr: number, line: number)
  const count = getbufinfo(bufnr)[0].linecount
  if line > count
    throw $'claude-ide: there is no line {line}; the file has {count}'
  endif
enddef

defcompile
