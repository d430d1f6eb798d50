vim9script
scriptencoding utf-8
# The model's questions about what the user sees, and where the user was.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload './quoting.vim'
import autoload '../file/buffers.vim'
import autoload '../file/positions.vim'
import autoload '../selection.vim'
import autoload '../window/tiling.vim'

const LONGEST = 300 # bytes of a line on the screen
const MOST_JUMPS = 50

def Shortened(text: string): string
  return bounded.Visible(len(text) > LONGEST ? strpart(text, 0, LONGEST) .. '…' : text)
enddef

# The lines on the screen, by their numbers, without those that quote private files. Of a closed
# fold, which may hide most of a file, only the first one is there.
def ShownLines(win: number, first: number, last: number): list<dict<any>>
  final shown: list<dict<any>> = []
  const bufnr = winbufnr(win)
  var line = first
  while line <= last
    final described: dict<any> = {line: line, text: Shortened(place.Line(bufnr, line))}
    const end_of_fold = win_execute(win, $'echon foldclosedend({line})')->str2nr()
    if end_of_fold > 0
      described.folded_to = end_of_fold
    endif
    if !quoting.IsPrivate(bufnr, line, place.Line(bufnr, line))
      shown->add(described)
    endif
    line = max([line, end_of_fold]) + 1
  endwhile
  return shown
enddef

def Described(win: number, has_text: bool): dict<any>
  const bufnr = winbufnr(win)
  const info = getwininfo(win)[0]
  const [_, line, column; _] = getcurpos(win)
  final described: dict<any> = {
    window: info.winnr,
    bufnr: bufnr,
    tabpage: info.tabnr,
    name: place.Name(bufnr),
    buftype: getbufvar(bufnr, '&buftype'),
    filetype: getbufvar(bufnr, '&filetype'),
    line: line,
    column: place.Column(place.Line(bufnr, line), column - 1),
    first: info.topline,
    last: info.botline,
    is_current: win == win_getid(),
  }
  if has_text && !place.IsPrivate(bufnr)
    described.lines = ShownLines(win, info.topline, info.botline)
  endif
  return described
enddef

# The windows of the current tab page, with the lines that they show. A popup counts if the user is
# in it.
export def Windows(arguments: dict<any>): dict<any>
  const wins = tiling.Windows(tabpagenr()) + (win_gettype() ==# 'popup' ? [win_getid()] : [])
  return {
    tabpages: tabpagenr('$'),
    windows: wins->mapnew((_, win) => Described(win, arguments.text)),
  }
enddef

# What the user has selected, or where the cursor is, in the file where the user was last.
export def Selection(_: dict<any>): dict<any>
  const found: any = selection.Latest()
  if type(found) != v:t_dict
    return {}
  endif
  const bufnr = get(buffers.Lookup(found.filePath), 'bufnr', 0)
  const At = (position: dict<number>): dict<number> => ({
    line: position.line + 1,
    column: positions.Characters(place.Line(bufnr, position.line + 1), position.character) + 1,
  })
  const range = found.selection
  return {
    path: found.filePath,
    text: found.text->mapnew((_, line) => bounded.Visible(line))->join("\n"),
    is_empty: range.isEmpty,
    first: At(range.start),
    last: At(range.end),
  }
enddef

# The marks a to z and A to Z; the others are positions of the last change, jump and so on.
def SetByUser(marks: list<dict<any>>): list<dict<any>>
  return marks->filter((_, mark) => mark.mark =~# "^'\\a$")
enddef

def MarkPlace(mark: dict<any>, path: string): dict<any>
  const [bufnr, line, column; _] = mark.pos
  const text = place.Line(bufnr, line)
  return {
    name: strpart(mark.mark, 1),
    path: path,
    line: line,
    column: text ==# '' ? max([column, 1]) : place.Column(text, column - 1),
    text: trim(Shortened(text)),
  }
enddef

# The marks that the user has set: those of the current file, or of another, and the global ones.
export def Marks(arguments: dict<any>): dict<any>
  const bufnr = has_key(arguments, 'file')
    ? place.OpenBuffer(arguments.file, ', so its marks are unknown') : winbufnr(place.Window())
  const own = SetByUser(getmarklist(bufnr))
  const global = SetByUser(getmarklist())
  return {
    marks: own->mapnew((_, mark) => MarkPlace(mark, place.Name(bufnr)))
      + global->mapnew((_, mark) => MarkPlace(mark, fnamemodify(mark.file, ':p'))),
  }
enddef

# One entry of the jump list or the change list.
def Visited(bufnr: number, entry: dict<any>): dict<any>
  const text = place.Line(bufnr, entry.lnum)
  return {
    path: place.Name(bufnr),
    line: entry.lnum,
    column: place.Column(text, entry.col),
    text: trim(Shortened(text)),
  }
enddef

def LatestFirst(entries: list<dict<any>>, BufferOf: func(dict<any>): number): list<dict<any>>
  return entries[-MOST_JUMPS :]->reverse()
    ->filter((_, entry) => bufexists(BufferOf(entry)))
    ->mapnew((_, entry) => Visited(BufferOf(entry), entry))
enddef

# Where the user has been in the current window, and where the current file was changed.
export def Jumps(_: dict<any>): dict<any>
  const win = place.Window()
  const current = winbufnr(win)
  return {
    jumps: LatestFirst(getjumplist(win)[0], (entry: dict<any>): number => entry.bufnr),
    changes: LatestFirst(getchangelist(current)[0], (_: dict<any>): number => current),
  }
enddef

defcompile
