vim9script
# The open files, of which the host makes an IDE's list of editor tabs (`editor/state.py`): reported whenever
# they change.

import autoload './channel.vim'
import autoload './file/path.vim' as file
import autoload './privacy.vim'
import autoload './timing/debounce.vim'
import autoload './window/recent.vim'

const INTERVAL = 100 # milliseconds
# Up to this number, all buffers are described: it includes changes that caused no event. Beyond it, only
# those that may have changed.
const MOST_WHOLE = 100

var last: dict<any> = {} # the last report
var modified: dict<bool> = {} # the buffers of which it says that they are
var is_watching = false
# Since the last report.
var touched: dict<bool> = {} # buffers that may have changed
var entered: dict<bool> = {}
# At the last report.
var shown_before: dict<list<any>> = {}
var highest = 0 # buffer number

# The empty buffer that Vim starts with does not count as open.
def IsOpen(name: string, is_modified: bool, buftype: string, filetype: string): bool
  const is_untitled = name ==# '' && buftype ==# '' && is_modified
  return is_untitled || file.IsHeld(name, buftype, filetype)
enddef

# The number, name, 'filetype', 'modified' and number of lines of a buffer; empty if it does not count as
# open, or if it stays in the editor (`privacy.vim`).
def Facts(bufnr: number): list<any>
  if !buflisted(bufnr)
    return []
  endif
  const filetype = getbufvar(bufnr, '&filetype')
  const is_modified = !!getbufvar(bufnr, '&modified')
  const info = file.Info(bufnr)
  const is_open = IsOpen(info.name, is_modified, getbufvar(bufnr, '&buftype'), filetype)
  return !is_open || privacy.OfBuffer(bufnr, info.name) !=# '' ? []
    : [bufnr, info.name, filetype, is_modified, info.lines]
enddef

def Numbers(bufnrs: dict<any>): list<number>
  return keys(bufnrs)->mapnew((_, bufnr) => str2nr(bufnr))
enddef

# The open ones among buffers, the most recently used one first.
def OpenAmong(among: list<number>): list<list<any>>
  final found: dict<list<any>> = {}
  for bufnr in among
    const facts = Facts(bufnr)
    if !empty(facts)
      found[bufnr] = facts
    endif
  endfor
  return recent.Sort(Numbers(found))->mapnew((_, bufnr) => found[bufnr])
enddef

# The buffer that the user works on; empty if there is none. The current buffer may be a different one: a
# terminal or a file tree next to it.
def Active(): list<any>
  return OpenAmong(tabpagebuflist())->get(0, [])
enddef

# Where each visible buffer is: in the current tabpage if possible, else in the first one. By buffer: whether
# that is the current one, the tabpage's number from 0, the window's number.
def Locations(): dict<list<any>>
  final shown: dict<list<any>> = {}
  for tab in gettabinfo()
    const is_here = tab.tabnr == tabpagenr()
    for [index, bufnr] in items(tabpagebuflist(tab.tabnr))
      if !has_key(shown, bufnr) || (is_here && !shown[bufnr][0])
        shown[bufnr] = [is_here, tab.tabnr - 1, index + 1]
      endif
    endfor
  endfor
  return shown
enddef

# Buffers that are or were shown may have changed, and those with a higher number than before are new.
def Suspects(shown: dict<list<any>>): list<number>
  # The highest number falls when its buffer is wiped out.
  return (Numbers(touched) + Numbers(shown) + Numbers(shown_before)
    + range(highest + 1, max([highest, bufnr('$')])))->sort('n')->uniq()
enddef

# `EditorsChanged` of the port: all buffers, or only those `among` these; others are as they were.
def ReportOn(among: list<number>, is_whole: bool, shown: dict<list<any>>): dict<any>
  final report = {
    editors: OpenAmong(among)->map((_, editor) => editor + get(shown, editor[0], [])),
    front: recent.Sort(Numbers(entered)->filter((_, bufnr) => bufexists(bufnr))),
    folders: file.Folders(),
    active: Active()->get(0, v:null),
  }
  for bufnr in among
    if has_key(modified, bufnr)
      remove(modified, string(bufnr))
    endif
  endfor
  for editor in report.editors
    if editor[3]
      modified[editor[0]] = true
    endif
  endfor
  return is_whole ? report : extend(report, {among: among})
enddef

# All open files.
export def All(): dict<any>
  return ReportOn(range(1, bufnr('$')), true, Locations())
enddef

def StartOver(shown: dict<list<any>>)
  touched = {}
  entered = {}
  shown_before = shown
  highest = bufnr('$')
enddef

def Report()
  if !is_watching
    return
  endif
  const shown = Locations()
  entered[bufnr()] = true
  const all = range(1, bufnr('$'))->filter((_, bufnr) => buflisted(bufnr))
  const is_whole = len(all) <= MOST_WHOLE
  const now = ReportOn(is_whole ? all : Suspects(shown), is_whole, shown)
  StartOver(shown)
  if now != last
    last = now
    channel.Emit('editors_changed', now)
  endif
enddef

const Changed = debounce.New(INTERVAL, Report).Soon

def Touch(bufnr: string, is_entered: bool)
  touched[bufnr] = true
  if is_entered
    entered[bufnr] = true
  endif
  Changed()
enddef

# Vim has no event for 'modified'. These occur for each key, so they only look.
def TouchIfModified()
  if &buftype ==# '' && !!has_key(modified, bufnr()) != !!&modified
    Touch(string(bufnr()), false)
  endif
enddef

# All open files, to which later reports of changes refer.
export def Begin(): dict<any>
  StartOver(Locations())
  return All()
enddef

# Emit `editors_changed` with all open files whenever one of them has changed; while very many are open, only
# with those that may have.
export def Watch(on: bool)
  last = {}
  modified = {}
  is_watching = on
  augroup claude_ide_buffers
    autocmd!
    if on
      StartOver(Locations())
      autocmd BufEnter * Touch(expand('<abuf>'), true)
      autocmd BufAdd,BufDelete,BufFilePost,BufReadPost,BufWipeout,BufWritePost *
        \ Touch(expand('<abuf>'), false)
      autocmd DirChanged,FileChangedShellPost,FileType,TabClosed,TabEnter,WinEnter *
        \ Touch(expand('<abuf>'), false)
      autocmd TextChanged,TextChangedI,TextChangedP,InsertLeave * TouchIfModified()
      autocmd OptionSet modified TouchIfModified()
    endif
  augroup END
enddef

privacy.Subscribe(() => {
  if is_watching
    last = Begin()
    channel.Emit('editors_changed', last)
  endif
})

defcompile
