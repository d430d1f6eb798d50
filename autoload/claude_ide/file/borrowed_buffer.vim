vim9script
# Buffers that are loaded only to be shown in a diff, and restored to their earlier state afterwards.

import autoload './text.vim'

const LARGEST = 50000000 # bytes of a file
const LONGEST = 4096 # bytes of a path
const KINDS = {dir: 'folder', bdev: 'device', cdev: 'device', fifo: 'pipe', socket: 'socket'}

# {bufnr, holders, known, loaded, changedtick} by buffer: `known` is whether the buffer existed before.
final borrowed: dict<dict<any>> = {}

# The type of what a path leads to: "file", "dir", …; empty if there is nothing.
def TypeOf(path: string): string
  const type = getftype(path)
  return type ==# 'link' ? getftype(resolve(path)) : type
enddef

# Why a path without a file cannot get one: one of its folders is not a folder.
def ObstacleOf(path: string): string
  const folder = fnamemodify(path, ':h')
  if folder ==# path
    return ''
  endif
  const type = TypeOf(folder)
  if type ==# ''
    return ObstacleOf(folder)
  endif
  return type ==# 'dir' ? '' : $'{folder} is not a folder'
enddef

def Refusal(path: string): string
  const type = TypeOf(path)
  if type ==# ''
    return ObstacleOf(path)
  elseif type !=# 'file'
    # Reading a pipe or a device might never end.
    return 'not a file but a ' .. get(KINDS, type, type)
  elseif !filereadable(path)
    return 'permission denied'
  elseif getfsize(path) > LARGEST || getfsize(path) == -2
    return $'has {getfsize(path)} bytes, more than {LARGEST}'
  endif
  return ''
enddef

# A path, made absolute, of a file that can be shown, or that does not exist yet. Throws
# `{path}: {reason}`.
export def Check(path: string): string
  if path ==# ''
    throw 'claude-ide: the path is empty'
  elseif path =~# "\n"
    throw $'claude-ide: {strtrans(path)}: contains a NUL'
  elseif len(path) > LONGEST
    throw $'claude-ide: {strpart(path, 0, 200)}…: the path is too long'
  endif
  const absolute = simplify(fnamemodify(path, ':p'))
  const refusal = Refusal(absolute)
  if refusal !=# ''
    throw $'claude-ide: {strtrans(absolute)}: {refusal}'
  endif
  return absolute
enddef

# The loaded buffer of a file; 0 if there is none.
export def Loaded(path: string): number
  const bufnr = bufexists(path) ? bufadd(path) : 0
  return bufnr > 0 && bufloaded(bufnr) ? bufnr : 0
enddef

# The buffer of an existing file if it has unsaved changes; else 0.
export def Unsaved(path: string): number
  const bufnr = Loaded(path)
  return bufnr > 0 && getbufvar(bufnr, '&modified') && filereadable(path) ? bufnr : 0
enddef

# Turn the current window's buffer, which is empty and new, into one that nobody changes.
def Blank(): number
  setlocal noswapfile buftype=nofile bufhidden=wipe nobuflisted nomodifiable
  return bufnr()
enddef

# Next to unsaved changes a proposal, which changes the text on disk, would seem to remove them.
def ShowDisk(path: string): number
  setlocal noswapfile
  execute 'silent noautocmd keepalt keepjumps :0read ++edit' fnameescape(path)
  silent deletebufline('%', line('$'))
  setlocal nomodified
  return Blank()
enddef

# Show a buffer in the current window. No dialog may come up: it would wait for a key, and `:silent`
# would hide what it asks. A file that is open elsewhere is read; one that has changed on disk stays.
export def ShowBuffer(bufnr: number)
  if bufnr() == bufnr
    return
  endif
  augroup claude_ide_borrow
    autocmd SwapExists * v:swapchoice = 'o'
    autocmd FileChangedShell * v:fcs_choice = ''
  augroup END
  try
    execute 'silent! keepalt buffer' bufnr
  finally
    autocmd! claude_ide_borrow
  endtry
  if bufnr() != bufnr
    throw $'claude-ide: {bufname(bufnr)}: cannot be loaded'
  endif
enddef

# Show a file in the current window, whose buffer is empty and new or shows it already: in its own
# buffer, or in an empty one if the file does not exist, or as it is on disk if its buffer has unsaved
# changes. With `own`, show that buffer. Returns {bufnr, unsaved}; `unsaved` is the file's own buffer, if
# that is another one, or 0. Throws if the file cannot be loaded.
export def Borrow(path: string, own: number): dict<number>
  if own == 0 && Unsaved(path) > 0
    return {bufnr: ShowDisk(path), unsaved: Unsaved(path)}
  elseif own == 0 && Loaded(path) == 0 && !filereadable(path)
    return {bufnr: Blank(), unsaved: 0}
  endif
  const is_known = own > 0 || bufexists(path)
  const bufnr = own > 0 ? own : bufadd(path)
  const is_loaded = bufloaded(bufnr)
  ShowBuffer(bufnr)
  if !has_key(borrowed, bufnr)
    borrowed[bufnr] = {
      bufnr: bufnr,
      holders: 0,
      known: is_known,
      loaded: is_loaded,
      changedtick: getbufvar(bufnr, 'changedtick'),
    }
  endif
  borrowed[bufnr].holders += 1
  return {bufnr: bufnr, unsaved: 0}
enddef

# A buffer that the user has changed or shown must stay. Without 'hidden' it may be unloaded already.
def IsAdopted(buffer: dict<any>): bool
  return bufloaded(buffer.bufnr) && (!empty(win_findbuf(buffer.bufnr))
    || getbufvar(buffer.bufnr, '&modified')
    || getbufvar(buffer.bufnr, 'changedtick') != buffer.changedtick)
enddef

# Release a buffer that our window no longer shows; the last release restores its state.
export def GiveBack(bufnr: number)
  if !has_key(borrowed, bufnr)
    return
  endif
  final buffer = borrowed[bufnr]
  buffer.holders -= 1
  if buffer.holders > 0
    return
  endif
  remove(borrowed, bufnr)
  if buffer.loaded || !bufexists(bufnr)
    return
  elseif IsAdopted(buffer)
    setbufvar(bufnr, '&buflisted', true)
  elseif !buffer.known
    execute 'silent! bwipeout' bufnr
  elseif bufloaded(bufnr)
    execute 'silent! bunload' bufnr
  endif
enddef
