vim9script
# Prepares for a write by a client, which waits for the file's current diagnostics first.

import autoload '../diagnostics.vim'
import autoload '../disk/named_files.vim'
import autoload './unopened.vim'

# Record that the client is about to write a file. Returns its `first` diagnostics if it is loaded;
# otherwise loads it, and returns what was `loaded`, or an `error`.
export def Read(path: string): dict<any>
  named_files.Add(path)
  final loaded = unopened.Load(path)
  if has_key(loaded, 'error')
    return {error: loaded.error}
  elseif get(loaded, 'is_cold', true)
    return {loaded: loaded}
  endif
  return {first: diagnostics.Read(path)}
enddef

defcompile
