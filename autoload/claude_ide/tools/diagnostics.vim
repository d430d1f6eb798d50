vim9script
# The file whose diagnostics a model asks for.

import autoload '../diagnostics/unopened.vim'

# Load a file, for what checks it. `was_cold` says that nothing may have checked it yet.
export def Prepare(arguments: dict<any>): dict<any>
  const loaded = unopened.Load(arguments.file)
  if has_key(loaded, 'error')
    return {error: loaded.error}
  elseif has_key(loaded, 'obstacle')
    return {error: $'{arguments.file}: {loaded.obstacle}'}
  endif
  return {bufnr: loaded.bufnr, was_cold: loaded.is_cold}
enddef

defcompile
