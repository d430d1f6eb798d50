vim9script
# Loads unopened files for some minutes, so that language servers and linters check them.

import autoload './texts.vim'
import autoload '../timing/moment.vim'
import autoload '../file/borrowed_buffer.vim'
import autoload '../file/buffers.vim'
import autoload '../file/path.vim' as file
import autoload '../file/load.vim'

const MOST = 20
# Bytes. Reading and checking a larger file would block Vim.
const LARGEST = 2000000
# After the last request for a file.
const UNLOAD_MS = 180000
const PAUSE_MS = 2000

# By buffer: the `timer` that unloads it, and whether it `is_known`, that is, existed before.
var loaded: dict<dict<any>> = {}

# Whether the user has opened a buffer: it is listed, changed or shown.
export def IsOpened(bufnr: number): bool
  return getbufvar(bufnr, '&buflisted') || getbufvar(bufnr, '&modified')
    || (!borrowed_buffer.IsBorrowed(bufnr) && !empty(win_findbuf(bufnr)))
enddef

# The user has opened the buffer, or it is gone: from now on it is an ordinary one.
def Forget(bufnr: number)
  if !has_key(loaded, bufnr)
    return
  endif
  timer_stop(remove(loaded, bufnr).timer)
  execute $'autocmd! claude_ide_unopened * <buffer={bufnr}>'
  if bufloaded(bufnr)
    # This creates the swap file. Other editors of the file do not matter, and Vim runs no SwapExists here.
    const shortmess = &shortmess
    set shortmess+=A
    setbufvar(bufnr, '&swapfile', &g:swapfile)
    &shortmess = shortmess
  endif
enddef

# The options of the buffer are set a moment later.
def OnShown(bufnr: number)
  timer_start(0, (_) => {
    if has_key(loaded, bufnr) && bufloaded(bufnr) && IsOpened(bufnr)
      setbufvar(bufnr, '&buflisted', true)
      Forget(bufnr)
    endif
  })
enddef

# A list of errors refers to the buffer by its number.
def IsInLists(bufnr: number): bool
  const lists = [getqflist()] + getwininfo()->mapnew((_, info) => getloclist(info.winid))
  return flattennew(lists, 1)->indexof((_, entry) => entry.bufnr == bufnr) >= 0
enddef

# Keep a file for some more time, if it was loaded here.
def Extend(bufnr: number, ms = UNLOAD_MS)
  if has_key(loaded, bufnr)
    timer_stop(loaded[bufnr].timer)
    loaded[bufnr].timer = timer_start(ms, (_) => Unload(bufnr))
  endif
enddef

def Unload(bufnr: number)
  if !has_key(loaded, bufnr)
    return
  elseif borrowed_buffer.IsBorrowed(bufnr)
    # Its diff may be closing.
    Extend(bufnr, PAUSE_MS)
    return
  endif
  const keeps_buffer: bool = loaded[bufnr].is_known || IsInLists(bufnr)
  const is_unused = bufloaded(bufnr) && !IsOpened(bufnr)
  if is_unused
    execute $'silent! {keeps_buffer ? "bunload" : "bwipeout"} {bufnr}'
  endif
  Forget(bufnr)
enddef

def Keep(bufnr: number, is_known: bool)
  loaded[bufnr] = {timer: 0, is_known: is_known}
  augroup claude_ide_unopened
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd BufWinEnter <buffer={bufnr}> OnShown({bufnr})'
    execute $'autocmd BufUnload <buffer={bufnr}> Forget({bufnr})'
    execute $'autocmd FileChangedShell <buffer={bufnr}> v:fcs_choice = v:fcs_reason ==# "deleted" ? "" : "reload"'
  augroup END
  Extend(bufnr)
  if len(loaded) > MOST
    Unload(str2nr(keys(loaded)->sort('N')[0]))
  endif
enddef

# Why a file must not be loaded, if so.
def Obstacle(path: string): string
  const reason = file.NeedsPlugin(path)
  if reason !=# ''
    return reason
  elseif getfsize(path) > LARGEST
    return $'it has {getfsize(path)} bytes, more than {LARGEST}'
  elseif readblob(path, 0, 8000)->index(0) >= 0
    return 'it is not a text file'
  elseif !moment.IsTextFree()
    return 'Vim cannot load it at the moment'
  endif
  return ''
enddef

def LoadNow(path: string, known: number): dict<any>
  const bufnr = known > 0 ? known : bufadd(path)
  # The user does not edit it, so other editors need no warning.
  setbufvar(bufnr, '&swapfile', false)
  const failed = load.Hidden(bufnr).error
  if failed !=# '' && !bufloaded(bufnr)
    return {error: $'{path}: {failed}'}
  endif
  Keep(bufnr, known > 0)
  texts.Expect(bufnr)
  return {bufnr: bufnr, is_cold: true}
enddef

# Load a file, unless it is loaded, without showing or listing it. It stays loaded for some minutes.
# Returns `bufnr`, `is_cold` (loaded just now) and `is_checked` (loaded before), the `obstacle` to loading it, or an `error`.
export def Load(path: string): dict<any>
  const checked = file.Check(path, true)
  if has_key(checked, 'refusal')
    return {error: checked.refusal}
  endif
  const known = buffers.Lookup(checked.path)
  if get(known, 'loaded', false)
    Extend(known.bufnr)
    return {bufnr: known.bufnr, is_cold: false, is_checked: true}
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
