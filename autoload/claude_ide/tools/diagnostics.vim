vim9script
scriptencoding utf-8
# What the model gets to know about diagnostics beyond those that clients get: columns and lines.
# No plugin for diagnostics in Vim says which fixes it offers.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload '../diagnostics/unopened.vim'
import autoload '../file/buffers.vim'
import autoload '../file/positions.vim'

const LONGEST = 300 # bytes

# Load a file, for what checks it. `is_cold` says that nothing may have checked it yet.
export def Prepare(arguments: dict<any>): dict<any>
  const loaded = unopened.Load(arguments.file)
  if has_key(loaded, 'error')
    return {error: loaded.error}
  elseif has_key(loaded, 'obstacle')
    return {error: $'{arguments.file}: {loaded.obstacle}'}
  endif
  return {bufnr: loaded.bufnr, was_cold: loaded.is_cold}
enddef

# A line without its indent; of a long one, the part around a character.
def Excerpt(text: string, character: number): string
  if len(text) <= LONGEST
    return trim(text)
  endif
  const first = max([0, character - LONGEST / 3])
  const part = strcharpart(text, first, LONGEST)
  const last = first + LONGEST < strchars(text) ? '…' : ''
  return (first > 0 ? '…' : '') .. part .. last
enddef

# Add what a model counts and reads to a diagnostic. A line that is not known counts as ASCII.
def Located(item: dict<any>): dict<any>
  const text = place.Line(buffers.Loaded(item.path), item.line + 1)
  const character = text ==# '' ? item.character : positions.Characters(text, item.character)
  return {column: character + 1, text: bounded.Line(Excerpt(text, character))}
enddef

# Answers {items} with the `column` and the `text` of the diagnostics.
export def Describe(arguments: dict<any>): dict<any>
  return {items: arguments.items->mapnew((_, item) => Located(item))}
enddef

defcompile
