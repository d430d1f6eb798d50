vim9script
# Loads unopened files for some minutes, so that language servers and linters check them.

import autoload '../file/buffers.vim'
import autoload '../file/gate.vim'
import autoload '../file/load.vim'

const MOST = 20
# Bytes. Reading and checking a larger file would block Vim.
const LARGEST = 2000000
# Milliseconds after the last request for a file.
const PATIENCE_MS = 180000

# By buffer: the `timer` that unloads it, and whether it was `known` before.
final loaded: dict<dict<any>> = {}

def IsOpened(bufnr: number): bool
  return getbufvar(bufnr, '&buflisted') || getbufvar(bufnr, '&modified') || !empty(win_findbuf(bufnr))
enddef

def Unload(bufnr: number)
  if !has_key(loaded, bufnr)
    return
  endif
  const file = remove(loaded, string(bufnr))
  timer_stop(file.timer)
  if bufexists(bufnr) && !IsOpened(bufnr)
    execute 'silent!' (file.known ? 'bunload' : 'bwipeout') bufnr
  elseif bufexists(bufnr)
    setbufvar(bufnr, '&swapfile', &g:swapfile)
  endif
enddef

# Keep a file for some more minutes, if it was loaded here.
export def Extend(bufnr: number)
  if has_key(loaded, bufnr)
    timer_stop(loaded[bufnr].timer)
    loaded[bufnr].timer = timer_start(PATIENCE_MS, (_) => Unload(bufnr))
  endif
enddef

# Why a file must not be loaded, if so.
def Obstacle(path: string): string
  if getfsize(path) > LARGEST
    return $'it has {getfsize(path)} bytes, more than {LARGEST}'
  elseif readblob(path, 0, 8000)->index(0) >= 0
    return 'it is not a text file'
  endif
  return ''
enddef

def LoadNow(path: string, known: number): dict<any>
  const bufnr = known > 0 ? known : bufadd(path)
  # Nobody edits it: no other editor has to be told, or asks.
  setbufvar(bufnr, '&swapfile', false)
  const failed = load.Hidden(bufnr).error
  if failed !=# '' && !bufloaded(bufnr)
    return {error: $'{path}: {failed}'}
  endif
  loaded[bufnr] = {timer: 0, known: known > 0}
  Extend(bufnr)
  if len(loaded) > MOST
    Unload(str2nr(keys(loaded)->sort('N')[0]))
  endif
  return {bufnr: bufnr, is_cold: true}
enddef

# Load a file, unless it is loaded, without showing or listing it. It stays loaded for some minutes.
# Returns `bufnr` and `is_cold` (loaded just now), the `obstacle` to loading it, or an `error`.
export def Load(path: string): dict<any>
  const checked = gate.Existing(path)
  if has_key(checked, 'refusal')
    return {error: checked.refusal}
  endif
  const known = buffers.Lookup(checked.path)
  if get(known, 'loaded', false)
    Extend(known.bufnr)
    return {bufnr: known.bufnr, is_cold: false}
  endif
  const obstacle = Obstacle(checked.path)
  return obstacle !=# '' ? {obstacle: obstacle} : LoadNow(checked.path, get(known, 'bufnr', 0))
enddef

# Unload all files that the user has not opened.
export def Release(): bool
  for key in keys(loaded)
    Unload(str2nr(key))
  endfor
  return true
enddef

defcompile
