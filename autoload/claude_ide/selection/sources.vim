vim9script
# What a mention means in buffers that list files (`file_lists.vim`).

import autoload '../messages/reason.vim'

const FILETYPES = ['dirvish', 'fern', 'fugitive', 'nerdtree', 'netrw', 'qf']

# What the user means in the current buffer, as its source returns it: `items`, or an `error`; empty if files
# are not listed in it. `lines` has the range of the command, if it has one. The host makes mentions of it
# (`Listed` in `editor/mentions.py`).
export def Listed(lines: list<number>): dict<any>
  const filetype = &filetype
  if index(FILETYPES, filetype) < 0
    return {}
  endif
  # A source may move the cursor; an error in another plugin must not become ours.
  const view = winsaveview()
  const [succeeded, found] = reason.Attempt(function('claude_ide#file_lists#' .. filetype), [lines])
  winrestview(view)
  return {filetype: filetype, in_lines: !empty(lines)}
    ->extend(succeeded ? {items: found} : {error: found})
enddef

defcompile
