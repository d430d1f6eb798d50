vim9script
# Why an agent wants an edit, in its own words. The CLI in a terminal does not say so with its edit:
# its hooks report it for the file, often only after the diff has opened.

import autoload '../messages/screen.vim'

final told: dict<string> = {} # by launch and path
var Finder: func(number): string = (_) => ''

def KeyOf(launch: string, path: string): string
  return $'{launch} {path}'
enddef

# Have a function find the launch of the terminal in which a process runs; it returns an empty
# string if there is none.
export def FindBy(Find: func(number): string)
  Finder = Find
enddef

# The launch of the CLI that proposes a diff; empty if it runs in no terminal of ours.
export def LaunchOf(diff: dict<any>): string
  return has_key(diff, 'pid') ? Finder(diff.pid) : ''
enddef

# Note what the CLI of a launch has said before it edits a file; `words` is empty if the edit is
# over.
export def Tell(launch: string, path: string, words: string): bool
  const key = KeyOf(launch, path)
  if words !=# ''
    told[key] = words
  elseif has_key(told, key)
    remove(told, key)
  endif
  screen.DrawStatusLines()
  return true
enddef

# What the agent has said before it has proposed a diff; empty if that is unknown.
export def Of(diff: dict<any>, launch: string): string
  return get(diff, 'why', get(told, KeyOf(launch, diff.path), ''))
enddef

defcompile
