vim9script
# The diagnostics of all sources, for the host: which there are, and slices of them in the form of LSP. The
# host decides which it reads, and when (`editor/diagnostics.py`).

import autoload './channel.vim'
import autoload './diagnostics/sources.vim'
import autoload './diagnostics/texts.vim'
import autoload './file/buffers.vim'
import autoload './file/path.vim' as file
import autoload './privacy.vim'
import autoload './timing/debounce.vim'

const NOTICE_MS = 100
# Limits of a slice, so that Vim never blocks for long; sending takes time, too.
const MOST_SECONDS = 0.005
const MOST_ITEMS = 500
const MOST_BYTES = 256 * 1024

# By source and path: the `entries`, the same `by_severity`, and the `version`, which differs whenever they do.
var sets: dict<dict<dict<any>>> = {}
var last_version = 0

def NewSet(source: string, entries: list<dict<any>>): dict<any>
  const Severity = sources.Function(source, 'Severity')
  final by_severity: list<list<dict<any>>> = [[], [], [], []]
  for entry in entries
    by_severity[Severity(entry) - 1]->add(entry)
  endfor
  last_version += 1
  return {version: last_version, entries: entries, by_severity: by_severity}
enddef

# Read all sources. No event of a source says of which file, so the entries are compared.
def Renew()
  final now: dict<dict<dict<any>>> = {}
  for source in sources.There()
    const before = get(sets, source, {})
    now[source] = {}
    for [path, entries] in items(sources.Ask(source, 'Read', [], {}))
      const known: dict<any> = get(before, path, {entries: []})
      now[source][path] = !empty(entries) && known.entries == entries ? known : NewSet(source, entries)
    endfor
  endfor
  sets = now
enddef

# Whether a file need not stay in the editor. A source may also have entries of buffers that hold none.
def IsReported(path: string): bool
  const is_file = path =~# '^/' && !(bufexists(path) && getbufvar(bufadd(path), '&buftype') !=# '')
  return is_file && privacy.Reason(path) ==# ''
enddef

# The paths of one file, or of all with diagnostics. Throws if no file can have the path.
def Paths(path: any): list<string>
  final all = values(sets)->mapnew((_, by_path) => keys(by_path))->flattennew(1)->sort()->uniq()
  if type(path) != v:t_string
    return all
  endif
  const absolute = file.Absolute(path)
  const wanted = file.Resolved(absolute)
  # A source and the host may spell the same path differently.
  final found = copy(all)->filter((_, each) => each ==# absolute || file.Resolved(each) ==# wanted)
  return empty(found) ? [absolute] : found
enddef

def IsChecked(path: string): bool
  const bufnr: number = buffers.Lookup(path)->get('bufnr', 0)
  return bufnr > 0 && !empty(sources.OfBuffer(bufnr))
enddef

def Described(path: string): dict<any>
  const named = keys(sets)->sort()->filter((_, source) => has_key(sets[source], path))
  return {
    key: path,
    uri: file.Uri(path),
    sets: named->mapnew((_, source) => ({
      id: source,
      version: sets[source][path].version,
      counts: sets[source][path].by_severity->mapnew((_, entries) => len(entries)),
    })),
    is_checked: !empty(named) || IsChecked(path),
  }
enddef

# The sets of a file, or of all files with diagnostics (`port/diagnostics.py`).
export def Look(path: any): dict<any>
  Renew()
  return {
    files: Paths(path)->filter((_, each) => IsReported(each))->mapnew((_, each) => Described(each)),
    is_typing: mode() =~# '^[iR]',
  }
enddef

# Some diagnostics of one severity in a set, from an index on (from 0); none if the set has another version by
# now. Nothing large is passed for each item: Vim checks the type of an argument item by item.
export def Slice(path: string, source: string, version: number, severity: number,
    first: number): list<dict<any>>
  final slice: list<dict<any>> = []
  final set: dict<any> = get(sets, source, {})->get(path, {version: 0})
  if set.version != version
    return slice
  endif
  final entries: list<dict<any>> = set.by_severity[severity - 1]
  const Item = sources.Function(source, 'Item')
  # Not bufnr(), for which the path would be a pattern.
  const bufnr = bufexists(path) ? bufadd(path) : -1
  const began = reltime()
  const end = min([len(entries), first + MOST_ITEMS])
  var index = first
  var bytes = 0
  while index < end && bytes < MOST_BYTES && reltimefloat(reltime(began)) < MOST_SECONDS
    slice->add(Item(entries[index], bufnr))
    bytes += len(slice[-1].message)
    index += 1
  endwhile
  return slice
enddef

# Tell the host soon that something may have changed.
const Notice = debounce.New(NOTICE_MS, () => channel.Emit('diagnostics_changed', {})).Soon

# Emit `diagnostics_changed` soon after a publish, and when the user has typed: the host may have waited.
export def Watch(on: bool)
  augroup claude_ide_diagnostics
    autocmd!
    if on
      autocmd InsertLeave * Notice()
    endif
  augroup END
  if on
    texts.Watch(Notice)
    Notice()
  else
    texts.Watch()
    sets = {}
  endif
enddef

defcompile
