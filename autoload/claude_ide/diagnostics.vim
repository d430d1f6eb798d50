vim9script
# Reads the diagnostics of one file or of all in slices, and reports changes of them.

import autoload './checking/texts.vim'
import autoload './diagnostics/files.vim'
import autoload './diagnostics/reading.vim'
import autoload './diagnostics/reports.vim'
import autoload './diagnostics/sets.vim'
import autoload './disk_changes/reload.vim'
import autoload './file/uri.vim'

const LIMIT = 5000

# By token: a function that continues to read.
var readings: dict<func> = {}
var last_token = 0

# Begin to read the diagnostics of one file or, without a path, of all. `Next` continues, `Finish`
# cancels. `files` are the URIs of files with diagnostics.
export def Begin(path: any = v:null): dict<any>
  sets.Renew()
  final paths = files.Reported(path)
  last_token += 1
  readings[last_token] = reading.New(paths, LIMIT)
  return {token: last_token, files: paths->mapnew((_, each) => uri.OfPath(each))}
enddef

# The next slice of a reading, errors first: `files`, each with `uri`, `items` and the number of
# `omitted` ones beyond the limit, and whether it is `done`. A file may occur in several slices.
export def Next(token: number): dict<any>
  if !has_key(readings, token)
    return {files: [], done: true}
  endif
  const Continue = readings[token]
  final step: dict<any> = Continue()
  if step.done
    Finish(token)
  endif
  return {
    files: step.parts->mapnew((_, part) =>
      ({uri: uri.OfPath(part.path), items: part.items, omitted: part.omitted})),
    done: step.done,
  }
enddef

# Begin to read, and return the first slice with the token: most readings need no other.
export def Read(path: any = v:null): dict<any>
  const token = Begin(path).token
  return extend(Next(token), {token: token})
enddef

# Begin to read the diagnostics of all files. If some of them have recently got a new text, return only the
# `checks` of these: language servers and linters may not have answered yet.
export def ReadAll(): dict<any>
  reload.Sync()
  final checks = texts.Recent()
  return empty(checks.buffers) ? {first: Read()} : {checks: checks}
enddef

# End or cancel a reading.
export def Finish(token: number): bool
  if has_key(readings, token)
    remove(readings, token)
  endif
  return true
enddef

# Emit `diagnostics_changed` for each file whose diagnostics change, with its `uri`, at most 1,000
# `items`, and the number of `omitted` ones.
export def Watch(on: bool)
  reports.Watch(on)
  if !on
    readings = {}
    sets.Clear()
  endif
enddef

defcompile
