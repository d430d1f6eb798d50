vim9script
# Reports changes of the set of open files and of their states.

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload './open_editors.vim' as editors
import autoload '../privacy.vim'
import autoload '../timing/debounce.vim'
import autoload '../window/recent.vim'

const INTERVAL = 100 # milliseconds
# Up to this number, each report is a complete snapshot: it includes changes that caused no event.
# Beyond it, only buffers that may have changed are examined.
const MOST_WHOLE = 100

var reported: dict<dict<any>> = {} # the editors, by buffer
var last: dict<any> = {} # the last report
var is_watching = false
# Since the last report.
var touched: dict<bool> = {} # buffers that may have changed
var entered: dict<bool> = {}
# At the last report.
var shown_before: dict<dict<any>> = {}
var highest = 0 # buffer number

def StartOver()
  touched = {}
  entered = {}
  shown_before = editors.Locations()
  highest = bufnr('$')
enddef

def ReportWhole(): dict<any>
  const buffers = editors.Buffers()
  const snapshot = editors.SnapshotOf(buffers)
  reported = {}
  for [index, buffer] in items(buffers)
    reported[buffer.bufnr] = snapshot.editors[index]
  endfor
  StartOver()
  return snapshot
enddef

# Buffers that are or were shown may have changed, and those with a higher number than before are
# new.
def Suspects(shown: dict<dict<any>>): list<number>
  final bufnrs: dict<bool> = copy(touched)
  extend(bufnrs, shown->mapnew((_, _) => true))
  extend(bufnrs, shown_before->mapnew((_, _) => true))
  # The highest number falls when its buffer is wiped out.
  for bufnr in range(highest + 1, max([highest, bufnr('$')]))
    bufnrs[bufnr] = true
  endfor
  return keys(bufnrs)->mapnew((_, bufnr) => str2nr(bufnr))
enddef

# Add to `change` what has become of a buffer; `now` is empty if it is no longer open.
def Compare(bufnr: number, now: dict<any>, change: dict<any>)
  const before = get(reported, bufnr, {})
  if !empty(before) && (empty(now) || now.fileName !=# before.fileName)
    change.gone->add(before.fileName)
  endif
  if !empty(now) && now != before
    change.changed->add(now)
  endif
  if !empty(now)
    reported[bufnr] = now
  elseif !empty(before)
    remove(reported, bufnr)
  endif
enddef

def RecentlyUsed(): list<string>
  entered[bufnr()] = true
  const bufnrs = keys(entered)->filter((_, bufnr) => has_key(reported, bufnr))
  return recent.Sort(bufnrs->mapnew((_, bufnr) => str2nr(bufnr)))
    ->mapnew((_, bufnr) => reported[bufnr].fileName)
enddef

# {changed, gone, front, folders, current}: editors including new ones; names of those that are no
# longer open; paths of those used since the last report, the most recent one first.
def ReportChange(): dict<any>
  const active = editors.Active()
  const shown = editors.Locations()
  final change = {
    changed: [],
    gone: [],
    front: [],
    folders: file.Folders(),
    current: editors.PathOf(active),
  }
  const bufnrs = Suspects(shown)
  final described: dict<dict<any>> = {}
  for buffer in editors.BuffersAmong(bufnrs)
    const is_active = buffer.bufnr == get(active, 'bufnr', 0)
    described[buffer.bufnr] = editors.Describe(buffer, get(shown, buffer.bufnr, {}), is_active)
  endfor
  for bufnr in bufnrs
    Compare(bufnr, get(described, bufnr, {}), change)
  endfor
  change.front = RecentlyUsed()
  StartOver()
  return change
enddef

def ReportIfNew(event: string, report: dict<any>, now: dict<any>, has_changes: bool)
  if has_changes || now != last
    last = now
    channel.Emit(event, report)
  endif
enddef

def Report()
  if !is_watching
    return
  elseif len(reported) <= MOST_WHOLE
    const snapshot = ReportWhole()
    ReportIfNew('editors_changed', snapshot, snapshot, false)
    return
  endif
  const change = ReportChange()
  const now = {front: get(change.front, 0, ''), folders: change.folders, current: change.current}
  const has_changes = !empty(change.changed) || !empty(change.gone) || len(change.front) > 1
  ReportIfNew('some_editors_changed', change, now, has_changes)
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
  const editor = get(reported, bufnr(), {})
  if &buftype ==# '' && get(editor, 'isDirty', false) != &modified
    Touch(string(bufnr()), false)
  endif
enddef

# The snapshot that later reports of changes refer to.
export def Begin(): dict<any>
  return ReportWhole()
enddef

# Emit `editors_changed` with a snapshot whenever it has changed. While very many files are open,
# emit `some_editors_changed` with the changes instead.
export def Watch(on: bool)
  reported = {}
  last = {}
  is_watching = on
  editors.Forget()
  augroup claude_ide_buffers
    autocmd!
    if on
      StartOver()
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
    last = ReportWhole()
    channel.Emit('editors_changed', last)
  endif
})

defcompile
