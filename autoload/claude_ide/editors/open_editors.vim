vim9script
# The open files, in the form of an IDE's list of editor tabs.

import autoload '../file/path.vim' as file
import autoload '../privacy.vim'
import autoload '../window/recent.vim'

# The other spellings of each buffer's name, computed once: {name, uri, label} by buffer.
final spellings: dict<dict<string>> = {}

# The empty buffer that Vim starts with does not count as open.
def IsOpen(name: string, is_modified: bool, buftype: string, filetype: string): bool
  const is_untitled = name ==# '' && buftype ==# '' && is_modified
  return is_untitled || file.IsHeld(name, buftype, filetype)
enddef

# {bufnr, name, filetype, modified, lines} of a buffer; empty if it does not count as open, or if it
# stays in the editor.
def Facts(bufnr: number): dict<any>
  if !buflisted(bufnr)
    return {}
  endif
  const filetype = getbufvar(bufnr, '&filetype')
  const is_modified = !!getbufvar(bufnr, '&modified')
  const info = file.Info(bufnr)
  if !IsOpen(info.name, is_modified, getbufvar(bufnr, '&buftype'), filetype)
      || privacy.OfBuffer(bufnr, info.name) !=# ''
    return {}
  endif
  return {
    bufnr: bufnr,
    name: info.name,
    filetype: filetype,
    modified: is_modified,
    lines: info.lines,
  }
enddef

# The open buffers, the most recently used one first, without those that stay in the editor
# (`privacy.vim`). Each is {bufnr, name, filetype, modified, lines}; the name is empty for a buffer
# without one.
export def Buffers(): list<dict<any>>
  return BuffersAmong(range(1, bufnr('$'))->filter((_, bufnr) => buflisted(bufnr)))
enddef

# The same, only those among these buffers.
export def BuffersAmong(bufnrs: list<number>): list<dict<any>>
  final found: dict<dict<any>> = {}
  for bufnr in bufnrs
    const facts = Facts(bufnr)
    if !empty(facts)
      found[bufnr] = facts
    endif
  endfor
  return recent.Sort(keys(found)->mapnew((_, bufnr) => str2nr(bufnr)))
    ->mapnew((_, bufnr) => found[bufnr])
enddef

# The buffer that the user works on; empty if there is none. The current buffer may be a different
# one: a terminal or a file tree next to it.
export def Active(): dict<any>
  return BuffersAmong(tabpagebuflist())->get(0, {})
enddef

# The location of each visible buffer: in the current tabpage if possible, else in the first one.
# {group, column, is_here} by buffer: the tabpage's number from 0, the window's number, and whether
# it is in the current tabpage.
export def Locations(): dict<dict<any>>
  final shown: dict<dict<any>> = {}
  for tab in gettabinfo()
    const is_here = tab.tabnr == tabpagenr()
    for [index, bufnr] in items(tabpagebuflist(tab.tabnr))
      if !has_key(shown, bufnr) || (is_here && !shown[bufnr].is_here)
        shown[bufnr] = {group: tab.tabnr - 1, column: index + 1, is_here: is_here}
      endif
    endfor
  endfor
  return shown
enddef

def SpellingsOf(bufnr: number, name: string, is_new: bool): dict<string>
  if get(spellings, bufnr, {name: ''}).name !=# name
    const uri = is_new ? 'untitled:' .. name : file.Uri(name)
    spellings[bufnr] = {name: name, uri: uri, label: fnamemodify(name, ':t')}
  endif
  return spellings[bufnr]
enddef

# An editor tab as `getOpenEditors` describes it. `location` is empty if the buffer is not shown.
export def Describe(buffer: dict<any>, location: dict<any>, is_active: bool): dict<any>
  const is_new = buffer.name ==# ''
  const name = is_new ? $'Untitled-{buffer.bufnr}' : buffer.name
  const known = SpellingsOf(buffer.bufnr, name, is_new)
  final editor = {
    uri: known.uri,
    fileName: name,
    label: known.label,
    languageId: buffer.filetype,
    isActive: is_active,
    isPinned: false,
    isPreview: false,
    isDirty: buffer.modified,
    isUntitled: is_new,
    isGroupActive: !empty(location) && location.is_here,
    groupIndex: get(location, 'group', 0),
    lineCount: buffer.lines,
  }
  if !empty(location)
    editor.viewColumn = location.column
  endif
  return editor
enddef

def DescribeAll(buffers: list<dict<any>>, active: dict<any>): list<dict<any>>
  const shown = Locations()
  const number = get(active, 'bufnr', 0)
  return buffers->mapnew((_, buffer) =>
    Describe(buffer, get(shown, buffer.bufnr, {}), buffer.bufnr == number))
enddef

def Names(buffers: list<dict<any>>): list<string>
  return buffers->mapnew((_, buffer) => buffer.name)->filter((_, name) => name !=# '')
enddef

# The path of a buffer in this form; null if it has none.
export def PathOf(buffer: dict<any>): any
  const name = get(buffer, 'name', '')
  return name ==# '' ? v:null : name
enddef

# The open files, the most recently used one first.
export def Editors(): list<dict<any>>
  return DescribeAll(Buffers(), Active())
enddef

# Absolute paths of the open files, the most recently used one first.
export def Paths(): list<string>
  return Names(Buffers())
enddef

# The path of the file that the user works on; null if there is none.
export def Current(): any
  return PathOf(Active())
enddef

# A snapshot with these buffers as the open ones: {editors, paths, folders, current}.
export def SnapshotOf(buffers: list<dict<any>>): dict<any>
  const active = Active()
  return {
    editors: DescribeAll(buffers, active),
    paths: Names(buffers),
    folders: file.Folders(),
    current: PathOf(active),
  }
enddef

# Drop the computed spellings of names.
export def Forget()
  filter(spellings, (_, _) => false)
enddef

defcompile
