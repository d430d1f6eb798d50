vim9script
# Buffers that are loaded only to be shown in a diff, and restored to their earlier state
# afterwards.

import autoload './buffers.vim'
import autoload './disk.vim'
import autoload './path.vim' as file

# {holders, known, loaded, changedtick, bufhidden} by buffer: `known` is whether the buffer existed before.
final borrowed: dict<dict<any>> = {}

# The buffer of an existing file if its text differs from the disk: it has unsaved changes, or another program
# has written the file, and the buffer does not follow; else 0.
export def Unsaved(path: string): number
  const bufnr = buffers.Loaded(path)
  const differs = bufnr > 0 && filereadable(path)
    && (getbufvar(bufnr, '&modified') || (!disk.IsTakenOver(bufnr) && disk.HasChanged(bufnr)))
  return differs ? bufnr : 0
enddef

# Turn the current window's buffer, which is empty and new, into a scratch buffer that cannot
# be changed.
def Blank(): number
  setlocal noswapfile buftype=nofile bufhidden=wipe nobuflisted nomodifiable
  return bufnr()
enddef

# A proposal changes the text on disk. Next to unsaved changes it would seem to remove them.
def ShowDisk(path: string): number
  setlocal noswapfile
  execute 'silent noautocmd keepalt keepjumps :0read ++edit' fnameescape(path)
  silent deletebufline('%', line('$'))
  setlocal nomodified
  return Blank()
enddef

# Show a buffer in the current window. No dialog may come up: it would wait for a key, and `:silent`
# would hide what it asks. The file is read even if another editor has it open; a loaded buffer
# keeps its text even if the file has changed.
def ShowBuffer(bufnr: number)
  augroup claude_ide_borrow
    autocmd SwapExists * v:swapchoice = 'o'
    autocmd FileChangedShell * v:fcs_choice = ''
  augroup END
  try
    execute bufnr() == bufnr ? '' : $'silent! keepalt buffer {bufnr}'
  finally
    autocmd! claude_ide_borrow
  endtry
  if bufnr() != bufnr
    throw $'claude-ide: {bufname(bufnr)}: cannot be loaded'
  endif
enddef

# Show a file in the current window, whose buffer is empty and new or shows it already: in its own
# buffer, or in an empty one if the file does not exist, or as it is on disk if its buffer differs
# from that. With `own`, show that buffer. Returns {bufnr, unsaved}; `unsaved` is the file's own
# buffer, if that is another one, or 0. Throws if the file cannot be loaded.
export def Borrow(path: string, own: number): dict<number>
  # It may have been replaced while the diff waited for its moment.
  const checked = own > 0 ? {} : file.Check(path, false, true)
  if has_key(checked, 'refusal')
    throw 'claude-ide: ' .. checked.refusal
  endif
  const unsaved = own == 0 ? Unsaved(path) : 0
  if unsaved > 0
    return {bufnr: ShowDisk(path), unsaved: unsaved}
  elseif own == 0 && buffers.Loaded(path) == 0 && !filereadable(path)
    return {bufnr: Blank(), unsaved: 0}
  endif
  const found = own > 0 ? own : get(buffers.Lookup(path), 'bufnr', 0)
  const bufnr = found > 0 ? found : bufadd(path)
  const is_loaded = bufloaded(bufnr)
  ShowBuffer(bufnr)
  if !has_key(borrowed, bufnr)
    borrowed[bufnr] = {
      holders: 0,
      known: found > 0,
      loaded: is_loaded,
      changedtick: getbufvar(bufnr, 'changedtick'),
      bufhidden: getbufvar(bufnr, '&bufhidden'),
    }
    # Without 'hidden', a buffer would be unloaded with our window, and its undo history lost.
    setbufvar(bufnr, '&bufhidden', 'hide')
  endif
  borrowed[bufnr].holders += 1
  return {bufnr: bufnr, unsaved: 0}
enddef

# Whether a buffer is shown in a diff, or its diff is still closing.
export def IsBorrowed(bufnr: number): bool
  return has_key(borrowed, bufnr)
enddef

# Release a buffer that our window no longer shows; the last release restores its state.
export def GiveBack(bufnr: number)
  final buffer = get(borrowed, bufnr, {holders: 0})
  buffer.holders -= 1
  if buffer.holders != 0
    return
  endif
  remove(borrowed, string(bufnr))
  if bufexists(bufnr)
    setbufvar(bufnr, '&bufhidden', buffer.bufhidden)
  endif
  # A buffer that the user has changed or shown must stay. They may also have unloaded it.
  if buffer.loaded || !bufexists(bufnr)
    return
  elseif bufloaded(bufnr) && (!empty(win_findbuf(bufnr)) || getbufvar(bufnr, '&modified')
      || getbufvar(bufnr, 'changedtick') != buffer.changedtick)
    setbufvar(bufnr, '&buflisted', true)
  else
    execute 'silent!' (buffer.known ? 'bunload' : 'bwipeout') bufnr
  endif
enddef

defcompile
