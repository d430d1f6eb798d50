vim9script
# Finds what a model names: a file, and a position in it.

import autoload '../file/buffers.vim'
import autoload '../file/open.vim' as open_files
import autoload '../file/path.vim' as file

const LONGEST = 2400 # bytes of a line, of which the host shows the model less (`mcp/model/pages.py`)

# A line in which a NUL, which JSON cannot take to the host, is a visible one.
export def Visible(line: string): string
  return substitute(line, "\n", '^@', 'g')
enddef

# A line, cut if it is too long.
export def Cut(line: string): string
  return Visible(strpart(line, 0, LONGEST))
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

# A place for the model: the `path` of its file, its `line`, the `column` in characters, from 1, and the
# `text` of the line. `col` counts bytes, from 0; one past the end counts as the end.
export def Described(bufnr: number, line: number, col: number): dict<any>
  const text = Line(bufnr, line)
  const before = max([col, 0])
  return {
    path: bufnr > 0 ? Name(bufnr) : '',
    line: line,
    column: (text ==# '' ? before : strchars(strpart(text, 0, before))) + 1,
    text: Cut(text),
  }
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
  const found = HasFile(here) ? here
    : open_files.Find([tabpagenr()] + range(1, tabpagenr('$')), (win) => HasFile(win))
  return found > 0 ? found : here
enddef

# Whether a buffer shows what a program has printed, or the commands that the user has typed.
# Secrets may be in both.
export def IsPrivate(bufnr: number): bool
  return getbufvar(bufnr, '&buftype') ==# 'terminal'
    || (getcmdwintype() !=# '' && bufnr == bufnr())
enddef

# The entry in a line of a quickfix window; empty if it is unknown.
def Entry(bufnr: number, line: number): dict<any>
  if getqflist({qfbufnr: 0}).qfbufnr == bufnr
    return getqflist({idx: line, items: 0}).items->get(0, {})
  endif
  const win = win_findbuf(bufnr)->get(0, 0)
  return win > 0 ? getloclist(win, {idx: line, items: 0})->get('items', [])->get(0, {}) : {}
enddef

# A line of a buffer for the model, `{line, text, path}`, with the path that a line of a quickfix window
# quotes; empty if that cannot be known.
export def Quoted(bufnr: number, line: number): dict<any>
  const entry = getbufvar(bufnr, '&buftype') ==# 'quickfix' ? Entry(bufnr, line) : {bufnr: 0}
  return empty(entry) ? {} : {
    line: line,
    text: Cut(Line(bufnr, line)),
    path: entry.bufnr > 0 ? Name(entry.bufnr) : '',
  }
enddef

defcompile
