vim9script
# Notes on files that hold for a while.

import autoload '../file/path.vim' as file

def IsFresh(noted: dict<any>, lasts: number): bool
  return reltimefloat(reltime(noted.since)) * 1000 < lasts
enddef

# Add a note to `known`, a dict of notes by real path that hold for `lasts` milliseconds.
export def Add(known: dict<dict<any>>, path: string, note: string, lasts: number)
  known->filter((_, noted) => IsFresh(noted, lasts))
  known[file.Resolved(path)] = {since: reltime(), note: note}
enddef

# The note on a file; empty if there is none.
export def Get(known: dict<dict<any>>, path: string, lasts: number): string
  const noted = get(known, file.Resolved(path), {})
  return !empty(noted) && IsFresh(noted, lasts) ? noted.note : ''
enddef

# Remove the note on a file.
export def Forget(known: dict<dict<any>>, path: string)
  if has_key(known, file.Resolved(path))
    known->remove(file.Resolved(path))
  endif
enddef

defcompile
