vim9script
# Replaces a buffer's text with the text on disk as an edit would: in one undo step. Folds, signs
# and the cursor stay with their lines, and only removed lines lose their marks.

import autoload '../window/inside.vim'
import autoload './path.vim' as file
import autoload './rebase.vim'
import autoload './text.vim' as file_text

const OPTIONS = ['fileformat', 'fileencoding', 'bomb', 'endofline']

# Whether a plugin makes the text of a buffer from its file, or the file from the text. Only Vim can then
# read the file again: the plugin's autocommands have to run.
export def IsTranslated(bufnr: number): bool
  return file.Reader(file.Name(bufnr)) !=# ''
    || !empty(autocmd_get({event: 'BufWriteCmd', pattern: $'<buffer={bufnr}>'}))
enddef

# Read a file as `:edit` would, in the encoding of a buffer.
def Converted(bufnr: number, path: string): dict<any>
  const encoding = getbufvar(bufnr, '&fileencoding')
  const binary = getbufvar(bufnr, '&binary') ? '++bin' : ''
  const scratch = bufadd('')
  for [name, value] in items({buftype: 'nofile', bufhidden: 'hide', swapfile: false, undolevels: -1})
    setbufvar(scratch, '&' .. name, value)
  endfor
  final converted: dict<any> = {}
  try
    noautocmd bufload(scratch)
    # This puts the file before the one line that an empty buffer has.
    inside.Run(scratch,
      $'silent noautocmd keepalt :0read ++edit ++enc={encoding} {binary} {fnameescape(path)}')
    converted.lines = getbufline(scratch, 1, '$')[: -2]
    for name in OPTIONS
      converted[name] = getbufvar(scratch, '&' .. name)
    endfor
  finally
    execute $'silent! noautocmd bwipeout! {scratch}'
  endtry
  return converted
enddef

# The bytes of a buffer's file, as the lines between the line feeds; empty if it cannot be read.
export def Bytes(bufnr: number): list<string>
  const path = file.Name(bufnr)
  try
    const is_readable = file.TypeOf(path) ==# 'file' && filereadable(path)
    return is_readable ? readfile(path, 'b') ?? [''] : []
  catch
    return []
  endtry
enddef

# Read a buffer's file: the `lines`, the options that restore its bytes, and these `bytes`. Empty if
# it cannot be read, or is translated. Bytes that are not UTF-8 are kept as they are.
export def Read(bufnr: number): dict<any>
  const bytes = IsTranslated(bufnr) ? [] : Bytes(bufnr)
  const encoding: string = getbufvar(bufnr, '&fileencoding') ?? 'utf-8'
  if empty(bytes)
    return {}
  elseif encoding !=# 'utf-8' || getbufvar(bufnr, '&binary')
    return Converted(bufnr, file.Name(bufnr))->extend({bytes: bytes})
  endif
  return file_text.Parse(bytes)->extend({fileencoding: getbufvar(bufnr, '&fileencoding'), bytes: bytes})
enddef

# Make the next change start a new undo step (`:help undo-break`).
export def BreakUndo(bufnr: number)
  setbufvar(bufnr, '&undolevels', getbufvar(bufnr, '&l:undolevels'))
enddef

# From the end, so that the line numbers of earlier hunks stay valid. Lines that are replaced keep
# their marks, signs and text properties.
def Apply(bufnr: number, new: list<string>, areas: list<list<number>>)
  for [first, last, start, end] in reverse(copy(areas))
    const paired = min([last - first, end - start])
    if end - start > paired
      appendbufline(bufnr, first + paired, new[start + paired : end - 1])
    elseif last - first > paired
      deletebufline(bufnr, first + paired + 1, last)
    endif
    if paired > 0
      setbufline(bufnr, first + 1, new[start : start + paired - 1])
    endif
  endfor
enddef

# The number of a line after the changes; for a removed line, that of the next one.
def Moved(lnum: number, areas: list<list<number>>): number
  var shift = 0
  for [first, last, start, end] in areas
    if first >= lnum
      break
    elseif lnum <= last
      return end == start ? start + 1 : min([lnum + shift, end])
    endif
    shift += (end - start) - (last - first)
  endfor
  return lnum + shift
enddef

# Replace a buffer's text in one undo step; only lines that differ are touched. A text without lines is one empty
# line in a buffer. `joins` joins it to
# the previous undo step; it does nothing after an undo.
#
# The lines at the cursor and at the top of each window that shows the buffer stay there. In the current
# window, Vim moves only the cursor; in the others, `deletebufline()` moves it twice as far.
export def Change(bufnr: number, lines: list<string>, joins = false)
  if joins
    inside.Run(bufnr, 'silent! undojoin')
  else
    BreakUndo(bufnr)
  endif
  const areas = rebase.Areas(getbufline(bufnr, 1, '$'), lines ?? [''])
  const views = win_findbuf(bufnr)->mapnew((_, winid) => [winid, {
    lnum: Moved(getcurpos(winid)[1], areas),
    topline: Moved(getwininfo(winid)[0].topline, areas),
  }])
  if empty(lines)
    # One empty line would be written as a line end.
    silent deletebufline(bufnr, 1, '$')
  else
    Apply(bufnr, lines, areas)
  endif
  for [winid, view] in views
    win_execute(winid, $'noautocmd call winrestview({string(view)})')
  endfor
  BreakUndo(bufnr)
enddef

# Make Vim treat the buffer as equal to its file: store the file's time, and mark every other undo
# state as modified. A `:write` does that even if an autocommand replaces the actual writing.
# Without it, an undo would leave the buffer unmodified, and `:write` would ask about the changed
# file.
export def MarkWritten(bufnr: number)
  setbufvar(bufnr, '&modified', true)
  augroup claude_ide_edit
    execute $'autocmd BufWriteCmd <buffer={bufnr}> ++once setlocal nomodified'
  augroup END
  try
    inside.Run(bufnr, 'silent keepalt write!')
  finally
    execute $'autocmd! claude_ide_edit BufWriteCmd <buffer={bufnr}>'
  endtry
  claude_ide#own_writes#Adopted(bufnr)
enddef

# Make Vim treat the text of a buffer as unsaved changes to the present text of its file.
export def Acknowledge(bufnr: number)
  const readonly = getbufvar(bufnr, '&readonly')
  setbufvar(bufnr, '&readonly', false)
  try
    MarkWritten(bufnr)
  finally
    setbufvar(bufnr, '&modified', true)
    setbufvar(bufnr, '&readonly', readonly)
  endtry
enddef

# Replace a buffer's text with `text`, just read from its file, and its options with those of the
# file. The buffer then holds `lines`, as unsaved changes to `text` if they differ. Throws if the
# buffer cannot be changed now.
export def Adopt(bufnr: number, text: dict<any>, lines: list<string>)
  const modifiable = getbufvar(bufnr, '&modifiable')
  const readonly = getbufvar(bufnr, '&readonly')
  setbufvar(bufnr, '&modifiable', true)
  setbufvar(bufnr, '&readonly', false)
  try
    Change(bufnr, lines)
    file_text.SetOptions(bufnr, OPTIONS, text)
    MarkWritten(bufnr)
    const on_disk: list<string> = text.lines
    setbufvar(bufnr, '&modified', (lines ?? ['']) !=# (on_disk ?? ['']))
  finally
    setbufvar(bufnr, '&modifiable', modifiable)
    setbufvar(bufnr, '&readonly', readonly)
  endtry
enddef

defcompile
