vim9script
# A state of a buffer that can be restored, including its marks and the views of its windows. Plugins
# change the buffer itself: this takes the result out of it.

import autoload '../file/edit.vim'
import autoload '../window/inside.vim'

const MARK = "^'[A-Za-z<>]$"

def Lines(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

def Marks(bufnr: number): list<dict<any>>
  return (getmarklist(bufnr) + getmarklist())->filter((_, each) =>
    each.pos[0] == bufnr && each.mark =~# MARK)
enddef

def Views(bufnr: number): dict<string>
  final views: dict<string> = {}
  for winid in win_findbuf(bufnr)
    views[winid] = trim(win_execute(winid, 'echo string(winsaveview())'))
  endfor
  return views
enddef

# Save the state of a loaded buffer. The next change starts a new undo step.
export def New(bufnr: number): dict<any>
  edit.BreakUndo(bufnr)
  return {
    bufnr: bufnr,
    lines: Lines(bufnr),
    tick: getbufvar(bufnr, 'changedtick'),
    state: trim(inside.Run(bufnr, 'silent echo undotree().seq_cur')),
    modified: getbufvar(bufnr, '&modified'),
    marks: Marks(bufnr),
    views: Views(bufnr),
  }
enddef

# Without an undo history ('undolevels' is -1), the lines are replaced.
def Undo(point: dict<any>)
  inside.Run(point.bufnr, $'silent! noautocmd keepjumps undo {point.state}')
  const lines: list<string> = point.lines
  if Lines(point.bufnr) !=# lines
    edit.Change(point.bufnr, lines)
  endif
enddef

# Revert all changes since the checkpoint; return the lines that the buffer had before that.
export def Restore(point: dict<any>): list<string>
  const bufnr: number = point.bufnr
  const before: list<string> = point.lines
  const lines = Lines(bufnr)
  if lines !=# before
    Undo(point)
    for mark in point.marks
      setpos(mark.mark, mark.pos)
    endfor
  endif
  for [winid, view] in items(point.views)
    win_execute(str2nr(winid), $'noautocmd call winrestview({view})')
  endfor
  setbufvar(bufnr, '&modified', point.modified)
  return lines
enddef

defcompile
