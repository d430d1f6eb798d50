vim9script
# Reads diagnostics in the form of LSP in short steps, so that Vim never blocks for long.

import autoload './alike.vim'
import autoload './sets.vim'

# Limits of one step; sending takes time, too.
const SECONDS = 0.005
const ITEMS = 500
const BYTES = 256 * 1024

# Begin to read the diagnostics of these files, at most `limit`. Errors are read first, so that the
# least important diagnostics are those beyond the limit.
#
# `tasks` has a file's set, and the index of an entry in it, for each that remains; `next` is an index
# in it.
export def New(paths: list<string>, limit: number): dict<any>
  var tasks: list<list<any>> = []
  var by_severity: list<list<list<any>>> = [[], [], [], []]
  for path in paths
    for set in sets.Of(path)
      for index in range(len(set.severities))
        by_severity[set.severities[index] - 1]->add([set, index])
      endfor
    endfor
  endfor
  return {
    tasks: flattennew(by_severity, 1),
    next: 0,
    remaining: limit,
    readers: {},
    said: alike.New(),
  }
enddef

def ReaderOf(reading: dict<any>, set: dict<any>): func(number): dict<any>
  const key = $'{set.source} {set.path}'
  if !has_key(reading.readers, key)
    reading.readers[key] = sets.Reader(set)
  endif
  return reading.readers[key]
enddef

def PartOf(parts: list<dict<any>>, path: string): dict<any>
  if empty(parts) || parts[-1].path !=# path
    parts->add({path: path, items: [], omitted: 0})
  endif
  return parts[-1]
enddef

# What remains beyond the limit, by file.
def AddOmissions(reading: dict<any>, parts: list<dict<any>>)
  var omitted: dict<number> = {}
  for [set, _] in reading.tasks[reading.next :]
    omitted[set.path] = get(omitted, set.path, 0) + 1
  endfor
  for path in keys(omitted)->sort()
    parts->add({path: path, items: [], omitted: omitted[path]})
  endfor
enddef

# Continue for a few milliseconds. Returns the `parts` {path, items, omitted}; `omitted`, the number of
# a file's items beyond the limit, is set at the end only.
export def Step(reading: dict<any>): dict<any>
  final began = reltime()
  final parts: list<dict<any>> = []
  var items = 0
  var bytes = 0
  while items < ITEMS && bytes < BYTES && reltimefloat(reltime(began)) < SECONDS
    if reading.next >= len(reading.tasks)
      return {parts: parts, done: true}
    elseif reading.remaining == 0
      AddOmissions(reading, parts)
      return {parts: parts, done: true}
    endif
    const [set, index] = reading.tasks[reading.next]
    reading.next += 1
    const item = ReaderOf(reading, set)(index)
    if alike.IsNew(reading.said, set, item)
      PartOf(parts, set.path).items->add(item)
      reading.remaining -= 1
      items += 1
      bytes += len(item.message)
    endif
  endwhile
  return {parts: parts, done: reading.next >= len(reading.tasks)}
enddef
