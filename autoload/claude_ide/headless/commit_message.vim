vim9script
# `:ClaudeCommit`: a message for the staged changes, which the host inserts where the user writes it.

import autoload './answer.vim'
import autoload '../file/path.vim'
import autoload '../headless.vim'

# The commit message in the current window, else in another one of the tab page; 0 if there is none.
def FindBuffer(): number
  const found = ([bufnr()] + tabpagebuflist())->filter((_, bufnr) =>
    getbufvar(bufnr, '&filetype') ==# 'gitcommit' && getbufvar(bufnr, '&modifiable'))
  return get(found, 0, 0)
enddef

# Carry out `:ClaudeCommit[!]`.
export def Write(typed: string, _: list<number>, bang: bool)
  const bufnr = FindBuffer()
  if bang
    headless.CancelAll('commit', 'nothing to stop')
  elseif bufnr == 0
    answer.Show('Commit message', 'commit', {typed: typed}, true)
  else
    headless.Begin('commit', {path: path.Name(bufnr), bufnr: bufnr, typed: typed}, {
      note: {bufnr: bufnr, lnum: 1, verb: 'writing'},
    })
  endif
enddef

defcompile
