vim9script
# Why an agent wants an edit, in its own words. The CLI in a terminal does not say so with its edit:
# its hooks report it for the file, often only after the diff has opened.

import autoload '../say/screen.vim'

final told: dict<string> = {} # by path

# Note what a CLI has said before it edits a file; `words` is empty if it has said nothing, or if
# the edit is over.
export def Tell(path: string, words: string): bool
  if words !=# ''
    told[path] = words
  elseif has_key(told, path)
    remove(told, path)
  endif
  screen.DrawStatusLines()
  return true
enddef

# What the agent has said before it has proposed a diff; empty if that is unknown.
export def Of(diff: dict<any>): string
  if has_key(diff, 'why') || has_key(diff, 'OnDecided') || has_key(diff, 'agent')
    return get(diff, 'why', '')
  endif
  return get(told, diff.path, '')
enddef

defcompile
