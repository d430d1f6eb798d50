vim9script
# Tells the host, which is started if necessary, of the folders in whose files something waits for review. Only
# that is looked at: whether a host has left a file that says so (`review/store.py`).

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload '../host.vim'
import autoload '../host/python.vim'

final known: dict<bool> = {} # folders that the host has been told of

def Mark(folder: string): string
  const state = $XDG_STATE_HOME[0] ==# '/' ? $XDG_STATE_HOME : expand('~/.local/state')
  return $'{state}/claude_ide/review/{sha256(folder)[: 31]}/waiting'
enddef

# The innermost folder around a file that has a mark; empty if none has.
def FolderOf(path: string): string
  var folder = fnamemodify(path, ':h')
  while empty(getftype(Mark(folder)))
    const parent = fnamemodify(folder, ':h')
    if parent ==# folder
      return ''
    endif
    folder = parent
  endwhile
  return folder
enddef

# Look at the file of a buffer.
export def Look(bufnr: number)
  const path = bufloaded(bufnr) ? file.Path(bufnr) : ''
  const folder = empty(path) ? '' : FolderOf(file.Resolved(path))
  if empty(folder) || has_key(known, folder)
    return
  endif
  known[folder] = true
  # Without a Python, the first command says what is missing.
  if channel.IsOpen() || !empty(python.Find()) && host.Start()
    channel.Emit('review_left', {folder: folder})
  endif
enddef

defcompile
