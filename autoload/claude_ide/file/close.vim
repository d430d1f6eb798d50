vim9script
# Closes files without losing unsaved changes or windows.

import autoload './buffers.vim'
import autoload './choice.vim'
import autoload './load.vim' as file_load
import autoload './path.vim' as file
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'
import autoload '../window/close.vim' as window_close
import autoload '../window/tiling.vim'

# Why a buffer must stay open, as one sentence; empty if it need not.
def Obstacle(bufnr: number): string
  const name = file.Name(bufnr)
  if getbufvar(bufnr, '&modified')
    return $'{name} has unsaved changes; it stays open.'
  elseif bufnr() == bufnr && !choice.IsUserFree()
    return $'The user is typing in {name}; it stays open.'
  elseif win_findbuf(bufnr)->indexof((_, win) => tiling.Option(win, 'diff')) >= 0
    return $'{name} is part of a diff; it stays open.'
  endif
  return ''
enddef

def Close(bufnr: number)
  for win in win_findbuf(bufnr)
    if tiling.IsFixed(win)
      window_close.Window(win)
    else
      const error = file_load.InWindow(win, window_close.Replacement(win)).error
      if error !=# ''
        throw 'claude-ide: ' .. error
      endif
    endif
  endfor
  execute $'silent bdelete {bufnr}'
enddef

# Close a file that has no unsaved changes. Its windows stay and show another file. Returns
# {closed}, and an `error` if it is not.
export def CloseFile(path: string): dict<any>
  const buffer = buffers.Lookup(path)
  if empty(buffer) || !(buffer.loaded || buffer.listed)
    return {closed: false, error: $'{path} is not open in Vim.'}
  endif
  const refusal = Obstacle(buffer.bufnr)
  if refusal !=# ''
    return {closed: false, error: refusal}
  endif
  const failure = reason.Try(Close, [buffer.bufnr])
  moment.Settle()
  redraw
  return failure ==# '' ? {closed: true} : {closed: false, error: failure}
enddef

defcompile
