vim9script
# Tells the host, which is started if necessary, of the folders in whose files something waits for review. Only
# that is looked at: whether a host has left a file that says so (`review/store.py`).

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload '../host.vim'
import autoload '../host/python.vim'

final known: dict<bool> = {} # folders that the host has been told of

def Mark(root: string): string
  const state = $XDG_STATE_HOME[0] ==# '/' ? $XDG_STATE_HOME : expand('~/.local/state')
  return $'{state}/claude_ide/review/{sha256(root)[: 31]}/waiting'
enddef

# The top of the working tree of a file, otherwise the current folder.
def Root(path: string): string
  var folder = fnamemodify(path, ':h')
  while empty(getftype(folder .. '/.git'))
    const parent = fnamemodify(folder, ':h')
    if parent ==# folder
      return getcwd()
    endif
    folder = parent
  endwhile
  return folder
enddef

# Look at the file of a buffer.
export def Look(bufnr: number)
  const path = bufloaded(bufnr) ? file.Path(bufnr) : ''
  const root = empty(path) ? '' : resolve(Root(path))
  if empty(root) || has_key(known, root) || empty(getftype(Mark(root)))
    return
  endif
  known[root] = true
  # Without a Python, the first command says what is missing.
  if channel.IsOpen() || !empty(python.Find()) && host.Start()
    channel.Emit('review_shown', {bufnr: bufnr})
  endif
enddef

defcompile
