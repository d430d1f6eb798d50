vim9script
# The diagnostics in the quickfix list and the location lists, for users without any of the plugins.
# `diagnostics/sources.vim` has the functions of a source.

import autoload '../sources.vim'

const SEVERITIES = {E: 1, W: 2, I: 3, N: 4, H: 4, e: 1, w: 2, i: 3, n: 4, h: 4}

var last_state = ''
var last_read: dict<list<dict<any>>> = {}

# The titles that lists get from `:make` with the usual 'makeprg', and from vim-dispatch.
const OF_MAKE = '^:\?\s*\%(l\?make\|\d*Dispatch\)\>'

def Program(command: string): string
  return matchstr(command, '\S\+')
enddef

# The programs of 'makeprg', of all buffers.
def Makers(): list<string>
  const of_buffers = getbufinfo({bufloaded: 1})->mapnew((_, info) => getbufvar(info.bufnr, '&makeprg'))
  return ([&g:makeprg] + of_buffers)->map((_, command) => Program(command))
    ->filter((_, program) => program !=# '')
enddef

# Lists of hits have entries without a type; so have some compilers' errors. The title that `:make` gives
# to a list is the command that it has run.
def IsOfMake(title: string, makers: list<string>): bool
  return title =~# OF_MAKE || makers->index(Program(trim(title, ':', 1))) >= 0
enddef

# All lists without their entries: the quickfix list, and the location lists of all windows. `win` is -1
# for the quickfix list. The window of a location list and the window to which it belongs have the same.
def Lists(): list<dict<any>>
  const what = {id: 0, changedtick: 0, title: 0}
  final lists = [extend(getqflist(what), {win: -1})]
  final known: dict<bool> = {}
  for info in getwininfo()
    final list = getloclist(info.winid, what)
    if list.id > 0 && !has_key(known, list.id)
      known[list.id] = true
      lists->add(extend(list, {win: info.winid}))
    endif
  endfor
  return lists
enddef

def IsEntry(entry: dict<any>, is_of_make: bool): bool
  return entry.valid && entry.bufnr > 0 && entry.lnum > 0
    && (has_key(SEVERITIES, entry.type) || (entry.type ==# '' && is_of_make))
enddef

# The entries by buffer. Many plugins fill both kinds of lists.
def ByBuffer(lists: list<dict<any>>): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  final known: dict<bool> = {}
  const has_several = len(lists) > 1
  const makers = Makers()
  for list in lists
    const is_of_make = IsOfMake(list.title, makers)
    for entry in list.win < 0 ? getqflist() : getloclist(list.win)
      const key = has_several
        ? $'{entry.bufnr} {entry.lnum} {entry.col} {entry.type} {entry.text}' : ''
      if IsEntry(entry, is_of_make) && !has_key(known, key)
        if has_several
          known[key] = true
        endif
        if !has_key(found, entry.bufnr)
          found[entry.bufnr] = []
        endif
        found[entry.bufnr]->add(entry)
      endif
    endfor
  endfor
  return found
enddef

# As long as the lists are unchanged, their entries stay the same.
export def Read(): dict<list<dict<any>>>
  final lists = Lists()
  const state = string(lists)
  if state !=# last_state
    last_state = state
    last_read = {}
    for [bufnr, entries] in items(ByBuffer(lists))
      last_read[fnamemodify(bufname(str2nr(bufnr)), ':p')] = entries
    endfor
  endif
  return last_read
enddef

export def Severity(entry: dict<any>): number
  return get(SEVERITIES, entry.type, 1)
enddef

# `end_col` is the column behind the last one.
export def Item(entry: dict<any>, bufnr: number): dict<any>
  const end_lnum: number = entry.end_lnum > 0 ? entry.end_lnum : entry.lnum
  const end_col: number = entry.end_col > 0 ? entry.end_col : entry.col + 1
  return sources.New(
    entry.text,
    Severity(entry),
    {
      start: sources.Position(entry.lnum, entry.col, bufnr),
      end: sources.Position(end_lnum, end_col, bufnr),
    },
    'quickfix',
    entry.nr > 0 ? entry.nr : '',
  )
enddef

defcompile
