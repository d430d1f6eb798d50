vim9script
# The model's questions about buffers: which there are, and their text.

import autoload './bounded.vim'
import autoload '../file/path.vim' as file

def IsOpen(info: dict<any>): bool
  return info.listed == 1 || (info.changed == 1 && info.loaded == 1)
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
    is_modified: info.changed == 1,
    is_shown: !empty(win_findbuf(info.bufnr)),
    is_current: info.bufnr == bufnr(),
  }
enddef

# The `buffers` that the user has opened.
export def List(_: dict<any>): dict<any>
  const infos = getbufinfo()->filter((_, info) => IsOpen(info))
  return {buffers: infos->mapnew((_, info) => Described(info))}
enddef

# Whether a buffer shows what a program has printed, or the commands that the user has typed.
# Secrets may be in both.
def IsPrivate(number: number): bool
  return getbufvar(number, '&buftype') ==# 'terminal'
    || (getcmdwintype() !=# '' && number == bufnr())
enddef

# The loaded buffer of a file, or with a number. Throws if there is none.
def Loaded(arguments: dict<any>): number
  if has_key(arguments, 'bufnr')
    const bufnr: number = arguments.bufnr
    if !bufloaded(bufnr)
      throw $'claude-ide: there is no loaded buffer {bufnr}'
    elseif IsPrivate(bufnr)
      throw $'claude-ide: buffer {bufnr} is a terminal or the command-line window'
    endif
    return bufnr
  endif
  const infos = getbufinfo({bufloaded: 1})
  const index = infos->indexof((_, info) => file.Path(info.bufnr) ==# arguments.file)
  if index < 0
    throw $'claude-ide: {arguments.file} is not open in Vim; read it from disk'
  endif
  return infos[index].bufnr
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
  return {
    total: total,
    first: first,
    lines: bounded.Lines(getbufline(bufnr, first, first - 1 + arguments.limit)),
    is_modified: info.changed == 1,
  }
enddef

defcompile
