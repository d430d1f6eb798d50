vim9script
# The open files, of which the host makes an IDE's list of editor tabs (`editor/events.py`): reported whenever
# they change.

import autoload './channel.vim'
import autoload './file/path.vim' as file
import autoload './privacy.vim'
import autoload './timing/debounce.vim'
import autoload './window/recent.vim'

const INTERVAL = 100 # milliseconds

var last: dict<any> = {} # the last report
var modified: dict<bool> = {} # whether the buffers in it are
var is_watching = false

# The number, name, 'filetype', 'modified' and number of lines of a buffer; empty if it does not count as
# open, or if it stays in the editor (`privacy.vim`).
def Facts(bufnr: number): list<any>
  if !buflisted(bufnr)
    return []
  endif
  const [filetype, buftype] = [getbufvar(bufnr, '&filetype'), getbufvar(bufnr, '&buftype')]
  const is_modified = !!getbufvar(bufnr, '&modified')
  const info = file.Info(bufnr)
  # The empty buffer that Vim starts with does not count.
  const is_untitled = info.name ==# '' && buftype ==# '' && is_modified
  const is_open = is_untitled || file.IsHeld(info.name, buftype, filetype)
  return !is_open || privacy.OfBuffer(bufnr, info.name) !=# '' ? []
    : [bufnr, info.name, filetype, is_modified, info.lines]
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
  return recent.Sort(keys(found)->mapnew((_, bufnr) => str2nr(bufnr)))->mapnew((_, bufnr) => found[bufnr])
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

# `EditorsChanged` of the port: all open files, with changes that caused no event.
export def All(): dict<any>
  const shown = Locations()
  return {
    editors: OpenAmong(range(1, bufnr('$')))->map((_, editor) => editor + get(shown, editor[0], [])),
    folders: claude_ide#places#Folders(),
    # The current buffer may be a different one: a terminal or a file tree next to it.
    active: OpenAmong(tabpagebuflist())->get(0, [])->get(0, v:null),
  }
enddef

def Report()
  if !is_watching
    return
  endif
  const now = All()
  if now != last
    last = now
    modified = {}
    for editor in now.editors
      modified[editor[0]] = editor[3]
    endfor
    channel.Emit('editors_changed', now)
  endif
enddef

const Changed = debounce.New(INTERVAL, Report).Soon

# Vim has no event for 'modified'. These occur for each key, so they only look.
def NoticeModified()
  if &buftype ==# '' && get(modified, bufnr(), false) != &modified
    Changed()
  endif
enddef

# Emit `editors_changed` with all open files whenever one of them has changed.
export def Watch(on: bool)
  last = {}
  modified = {}
  is_watching = on
  augroup claude_ide_buffers
    autocmd!
    if on
      autocmd BufEnter,BufAdd,BufDelete,BufFilePost,BufReadPost,BufWipeout,BufWritePost * Changed()
      autocmd DirChanged,FileChangedShellPost,FileType,TabClosed,TabEnter,WinEnter * Changed()
      autocmd TextChanged,TextChangedI,TextChangedP,InsertLeave * NoticeModified()
      autocmd OptionSet modified NoticeModified()
    endif
  augroup END
enddef

privacy.Subscribe(Report)

defcompile
