vim9script
# Reads diagnostics in the form of LSP in short steps, so that Vim never blocks for long.
#
# Nothing large is passed for each item: Vim checks the type of an argument item by item, and `const`
# locks its value in the same way. So the state is in the variables of closures.

import autoload './alike.vim'
import autoload './sets.vim'

# Limits of one step; sending takes time, too.
const SECONDS = 0.005
const ITEMS = 500
const BYTES = 256 * 1024

# The entries of sets as [number of the set, index in it], errors first, so that the least important
# diagnostics are those beyond a limit.
def BySeverity(found: list<dict<any>>): list<list<number>>
  final by_severity: list<list<list<number>>> = [[], [], [], []]
  for number in range(len(found))
    final severities: list<number> = found[number].severities
    for index in range(len(severities))
      by_severity[severities[index] - 1]->add([number, index])
    endfor
  endfor
  return flattennew(by_severity, 1)
enddef

def Add(parts: list<dict<any>>, path: string, item: dict<any>)
  if empty(parts) || parts[-1].path !=# path
    parts->add({path: path, items: [], omitted: 0})
  endif
  parts[-1].items->add(item)
enddef

# What remains beyond the limit, by file.
def Omissions(rest: list<list<number>>, paths: list<string>): list<dict<any>>
  final counts: dict<number> = {}
  for [number, _] in rest
    counts[paths[number]] = get(counts, paths[number], 0) + 1
  endfor
  return keys(counts)->sort()->mapnew((_, path) =>
    ({path: path, items: [], omitted: counts[path]}))
enddef

# Begin to read the diagnostics of these files, at most `limit`. Returns a function that continues for
# a few milliseconds, and returns `parts` {path, items, omitted}, and whether it is `done`; `omitted`,
# the number of a file's items beyond the limit, is set at the end only.
export def New(files: list<string>, limit: number): func
  final found: list<dict<any>> = files->mapnew((_, path) => sets.Of(path))->flattennew(1)
  final paths: list<string> = found->mapnew((_, set) => set.path)
  final names: list<string> = found->mapnew((_, set) => set.source)
  final readers: list<func> = found->mapnew((_, set) => sets.Reader(set))
  final tasks = BySeverity(found)
  const IsNew = alike.New()
  var next = 0
  var remaining = limit
  return () => {
    final began = reltime()
    final parts: list<dict<any>> = []
    var items = 0
    var bytes = 0
    while items < ITEMS && bytes < BYTES && reltimefloat(reltime(began)) < SECONDS
        && next < len(tasks) && remaining > 0
      const [number, index] = tasks[next]
      next += 1
      const Read: func = readers[number]
      final item: dict<any> = Read(index)
      if IsNew(paths[number], names[number], item)
        Add(parts, paths[number], item)
        remaining -= 1
        items += 1
        bytes += len(item.message)
      endif
    endwhile
    if remaining == 0 && next < len(tasks)
      parts->extend(Omissions(tasks[next :], paths))
      next = len(tasks)
    endif
    return {parts: parts, done: next >= len(tasks)}
  }
enddef

defcompile
