vim9script
# The diagnostics of each source for each file. Each is converted only once: a later conversion, after
# a change of the text, would differ and look like a new diagnostic.

import autoload './item.vim'
import autoload '../checking/sources.vim'

# By source and path: {entries, items, severities, source, path}; an item that is not converted yet is
# empty.
var sets: dict<dict<dict<any>>> = {}

def New(source: string, path: string, entries: list<dict<any>>): dict<any>
  const Severity = sources.Function(source, 'Severity')
  return {
    source: source,
    path: path,
    entries: entries,
    items: repeat([{}], len(entries)),
    severities: entries->mapnew((_, entry) => Severity(entry)),
  }
enddef

# A set that holds the same entries stays, with its items.
def Renewed(source: string): dict<dict<any>>
  final before = get(sets, source, {})
  final now: dict<dict<any>> = {}
  for [path, entries] in items(sources.Ask(source, 'Read', [], {}))
    final known: dict<any> = get(before, path, {entries: []})
    final earlier: list<dict<any>> = known.entries
    now[path] = earlier == entries && !empty(earlier) ? known : New(source, path, entries)
  endfor
  return now
enddef

# Read all sources.
export def Renew()
  var now: dict<dict<dict<any>>> = {}
  for source in sources.There()
    now[source] = Renewed(source)
  endfor
  sets = now
enddef

# The paths of all files with diagnostics.
export def Paths(): list<string>
  return values(sets)->mapnew((_, by_path) => keys(by_path))->flattennew(1)->sort()->uniq()
enddef

# The sets of a file, in a stable order.
export def Of(path: string): list<dict<any>>
  return keys(sets)->sort()
    ->filter((_, source) => has_key(sets[source], path))
    ->mapnew((_, source) => sets[source][path])
enddef

# A function from an index in a set to the item. It is valid until a text changes.
export def Reader(set: dict<any>): func
  const TextOf = item.LinesOf(set.path)
  const Item = sources.Function(set.source, 'Item')
  final entries: list<dict<any>> = set.entries
  final items: list<dict<any>> = set.items
  return (index) => {
    if empty(items[index])
      items[index] = Item(entries[index], TextOf)
    endif
    return items[index]
  }
enddef

# Drop everything.
export def Clear()
  sets = {}
enddef

defcompile
