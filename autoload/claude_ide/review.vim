vim9script
# Where the review takes the user.

import autoload './file/load.vim'

# Show a file in the current window, with the cursor in a row.
export def Go(path: string, row: number): bool
  const added = load.Add(path)
  if has_key(added, 'refusal')
    throw added.refusal
  endif
  setbufvar(added.bufnr, '&buflisted', true)
  const failure = load.InWindow(win_getid(), added.bufnr)
  if has_key(failure, 'refusal')
    throw failure.refusal
  endif
  cursor(min([row + 1, line('$')]), 1)
  normal! zv
  return true
enddef

defcompile
