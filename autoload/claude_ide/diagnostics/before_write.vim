vim9script
# Prepares for a write by a client, which waits for the file's current diagnostics first.

import autoload '../diagnostics.vim'
import autoload '../disk_changes/announced.vim'
import autoload './unopened.vim'

# Record that the client is about to write a file, and load it unless it is loaded. Returns what
# `Load` returns as `loaded`, with its `first` diagnostics if it was loaded before, or an `error`.
export def Read(path: string): dict<any>
  announced.Add(path)
  final loaded = unopened.Load(path)
  if has_key(loaded, 'error')
    return {error: loaded.error}
  elseif get(loaded, 'is_cold', true)
    return {loaded: loaded}
  endif
  return {first: diagnostics.Read(path), loaded: loaded}
enddef

defcompile
