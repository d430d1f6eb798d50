vim9script
# The diagnostics in the quickfix list and the location lists, for users without any of the plugins.
# `checking/sources.vim` has the functions of a source.

import autoload '../item.vim'

const SEVERITIES = {E: 1, W: 2, I: 3, N: 4, H: 4}

# Lists of hits have entries without a type; so have some compilers' errors.
def IsOfMake(title: string): bool
  return title =~# '^:\?\s*l\?make\>'
enddef

def Entries(list: dict<any>): list<dict<any>>
  const is_of_make = IsOfMake(list.title)
  return list.items->filter((_, entry) =>
    entry.valid && entry.bufnr > 0 && entry.lnum > 0
    && (has_key(SEVERITIES, toupper(entry.type)) || (entry.type ==# '' && is_of_make)))
enddef

export def IsThere(): bool
  return true
enddef

export def Read(): dict<list<dict<any>>>
  const what = {items: 1, title: 1, id: 0}
  var lists = [getqflist(what)]
  for win in getwininfo()
    final list = getloclist(win.winid, what)
    # The window of a location list and the window to which it belongs have the same.
    if list.id > 0 && indexof(lists, (_, known) => known.id == list.id) < 0
      lists->add(list)
    endif
  endfor
  final found: dict<list<dict<any>>> = {}
  var known: dict<bool> = {}
  for entry in lists->mapnew((_, list) => Entries(list))->flattennew(1)
    # Many plugins fill both kinds of lists.
    const key = $'{entry.bufnr} {entry.lnum} {entry.col} {entry.type} {entry.text}'
    if !has_key(known, key)
      known[key] = true
      const path = fnamemodify(bufname(entry.bufnr), ':p')
      if !has_key(found, path)
        found[path] = []
      endif
      found[path]->add(entry)
    endif
  endfor
  return found
enddef

export def Severity(entry: dict<any>): number
  return get(SEVERITIES, toupper(entry.type), 1)
enddef

# `end_col` is the column behind the last one.
export def Item(entry: dict<any>, TextOf: func): dict<any>
  const end_lnum: number = entry.end_lnum > 0 ? entry.end_lnum : entry.lnum
  const end_col: number = entry.end_col > 0 ? entry.end_col : entry.col + 1
  return item.New(
    entry.text,
    Severity(entry),
    {
      start: item.Position(entry.lnum, entry.col, TextOf),
      end: item.Position(end_lnum, end_col, TextOf),
    },
    'quickfix',
    entry.nr > 0 ? entry.nr : '',
  )
enddef

# Nothing checks a buffer by itself.
export def Checks(_: number): bool
  return false
enddef

export def Mark(_: number): any
  return 0
enddef

export def HasAnswered(_: number, _: any): bool
  return true
enddef

defcompile
