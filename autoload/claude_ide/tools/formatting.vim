vim9script
# Files that the model has formatted: the user reviews the new text before it is applied. The host chooses the
# formatters (`editor/formatting.py`).

import autoload './edits.vim'
import autoload '../diagnostics/unopened.vim'
import autoload '../format.vim'

# Answers { bufnr, is_new }; `is_new`: it was loaded just now.
export def Open(arguments: dict<any>): dict<any>
  const loaded = unopened.Load(arguments.file)
  if !has_key(loaded, 'bufnr')
    throw 'claude-ide: ' .. get(loaded, 'error', $'{arguments.file}: {get(loaded, "obstacle", "")}')
  endif
  return {bufnr: loaded.bufnr, is_new: loaded.is_cold}
enddef

# Answers the present `text` (as in `edits`), and the `lines` that the last formatter of a run has made of it.
export def Result(arguments: dict<any>): dict<any>
  const [bufnr, lines] = format.Result(arguments.run)
  return {text: edits.Text(bufnr, arguments.file), lines: lines}
enddef

defcompile
