vim9script
# Checks a loaded file for a client, which waits for its servers and linters between the two functions.

import autoload '../diagnostics.vim'
import autoload '../disk_changes/reload.vim'
import autoload './sets.vim'
import autoload '../checking/sources.vim'
import autoload '../checking/texts.vim'

# Update all buffers whose files have been written; report the state of this one, and the `checks` of
# recent texts.
export def Begin(bufnr: number): dict<any>
  reload.Sync()
  return {is_behind: reload.IsBehind(bufnr), checks: texts.Recent()}
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
