vim9script
# The model's questions about buffers: which there are, their text, and what is not saved.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload './quoting.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/text.vim' as buffer_text

const LARGEST = 1000000 # bytes of a text that is compared

# Vim takes a terminal for modified while its program runs.
def IsModified(info: dict<any>): bool
  return info.changed == 1 && getbufvar(info.bufnr, '&buftype') !=# 'terminal'
enddef

def IsOpen(info: dict<any>): bool
  return info.listed == 1 || (IsModified(info) && info.loaded == 1)
enddef

def Described(info: dict<any>): dict<any>
  return {
    bufnr: info.bufnr,
    path: file.Path(info.bufnr),
    name: info.name,
    filetype: getbufvar(info.bufnr, '&filetype'),
    buftype: getbufvar(info.bufnr, '&buftype'),
    lines: info.loaded == 1 ? info.linecount : 0,
    is_loaded: info.loaded == 1,
    is_modified: IsModified(info),
    is_shown: !empty(win_findbuf(info.bufnr)),
    is_current: info.bufnr == bufnr(),
  }
enddef

# The `buffers` that the user has opened.
export def List(_: dict<any>): dict<any>
  const infos = getbufinfo()->filter((_, info) => IsOpen(info))
  return {buffers: infos->mapnew((_, info) => Described(info))}
enddef

# The loaded buffer of a file, or with a number. Throws if there is none.
def Loaded(arguments: dict<any>): number
  if !has_key(arguments, 'bufnr')
    return place.OpenBuffer(arguments.file, '; read it from disk')
  endif
  const bufnr: number = arguments.bufnr
  if !bufloaded(bufnr)
    throw $'claude-ide: there is no loaded buffer {bufnr}'
  elseif place.IsPrivate(bufnr)
    throw $'claude-ide: buffer {bufnr} is a terminal or the command-line window'
  endif
  return bufnr
enddef

# Some `lines` of a buffer from number `first` on, saved or not, and their `total` number.
export def Lines(arguments: dict<any>): dict<any>
  const bufnr = Loaded(arguments)
  const info = getbufinfo(bufnr)[0]
  const total = info.linecount
  const first: number = arguments.offset + 1
  if first > total
    throw $'claude-ide: the buffer has only {total} lines'
  endif
  const lines = getbufline(bufnr, first, first - 1 + arguments.limit)
    ->map((index, line) => quoting.IsPrivate(bufnr, first + index, line) ? '' : line)
  return {
    total: total,
    first: first,
    lines: bounded.Lines(lines),
    is_modified: IsModified(info),
  }
enddef

def Joined(lines: list<string>): string
  return lines->mapnew((_, line) => bounded.Visible(line))->join("\n")
enddef

# The text on disk; empty for a file that does not exist.
def SavedText(path: string): string
  return filereadable(path) ? Joined(readfile(path, 'b')) : ''
enddef

# The texts of a file on disk and in its buffer, which the host compares.
def Changes(bufnr: number): dict<string>
  const path = file.Path(bufnr)
  if edit.IsTranslated(bufnr)
    return {path: path, note: 'a plugin makes its text'}
  endif
  const text = Joined(buffer_text.Get(bufnr))
  return max([len(text), getfsize(path)]) > LARGEST
    ? {path: path, note: 'too large to compare'}
    : {path: path, older: SavedText(path), newer: text}
enddef

def HasChanges(bufnr: number): bool
  return getbufvar(bufnr, '&modified') && bufloaded(bufnr) && file.Path(bufnr) !=# ''
enddef

# What is not saved, in one file or in all.
export def Unsaved(arguments: dict<any>): dict<any>
  const chosen = has_key(arguments, 'file') ? [Loaded(arguments)]
    : getbufinfo({bufloaded: 1})->map((_, info) => info.bufnr)
  return {
    files: chosen->copy()->filter((_, bufnr) => HasChanges(bufnr))
      ->mapnew((_, bufnr) => Changes(bufnr)),
  }
enddef

defcompile
