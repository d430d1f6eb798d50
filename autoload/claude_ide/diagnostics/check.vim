vim9script
# Checks a loaded file for a client, which waits for its servers and linters between the two functions.

import autoload '../checking/publishing.vim'
import autoload '../diagnostics.vim'
import autoload '../disk/change.vim'
import autoload '../disk/reload.vim'
import autoload './sets.vim'
import autoload '../checking/sources.vim'

# Update all buffers whose files have been written; report the state of this one: `is_settled` if no
# answer to a recent write is pending.
export def Begin(bufnr: number): dict<bool>
  reload.Sync()
  return {
    is_behind: change.IsBehind(bufnr),
    is_settled: publishing.Unsettled()->index(bufnr) < 0,
  }
enddef

# Begin to read the file's diagnostics. `is_checked` tells whether something checks the file.
export def Read(path: string, bufnr: number): dict<any>
  const first = diagnostics.Read(path)
  const name = fnamemodify(bufname(bufnr), ':p')
  return {
    first: first,
    is_checked: !empty(sources.OfBuffer(bufnr)) || !empty(sets.Of(name)),
  }
enddef

defcompile
