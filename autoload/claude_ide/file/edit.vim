vim9script
# Replaces a buffer's text with the text on disk as an edit would: in one undo step. Folds, signs
# and the cursor stay with their lines, and only removed lines lose their marks.

import autoload '../window/inside.vim'
import autoload './path.vim' as file
import autoload './rebase.vim'
import autoload './text.vim' as file_text

const OPTIONS = ['fileformat', 'fileencoding', 'bomb', 'endofline']

# The lines as a buffer holds them: at least one.
export def InBuffer(lines: list<string>): list<string>
  return empty(lines) ? [''] : lines
enddef

# Whether a path leads to a regular file.
export def IsFile(path: string): bool
  const type = getftype(path)
  return type ==# 'file' || (type ==# 'link' && getftype(file.Resolved(path)) ==# 'file')
enddef

# Whether a plugin makes the text of a buffer from its file, or the file from the text. Only Vim can then
# read the file again: the plugin's autocommands have to run.
export def IsTranslated(bufnr: number): bool
  return file.Reader(file.Name(bufnr)) !=# ''
    || !empty(autocmd_get({event: 'BufWriteCmd', pattern: $'<buffer={bufnr}>'}))
enddef

# Whether the text needs no conversion. Bytes that are not UTF-8 are kept as they are.
def IsUnicode(bufnr: number): bool
  return ['', 'utf-8']->index(getbufvar(bufnr, '&fileencoding')) >= 0
enddef

# The text of a buffer's file from its bytes, as the lines between the line feeds: the `lines`, and
# the options that restore the bytes.
export def OfBytes(bufnr: number, bytes: list<string>): dict<any>
  final text: dict<any> = {fileencoding: getbufvar(bufnr, '&fileencoding')}
  if getbufvar(bufnr, '&binary')
    const is_ended = bytes[-1] ==# ''
    return text->extend({
      lines: is_ended ? bytes[: -2] : bytes,
      fileformat: getbufvar(bufnr, '&fileformat'),
      bomb: getbufvar(bufnr, '&bomb'),
      endofline: is_ended,
    })
  elseif getbufvar(bufnr, '&fileformat') ==# 'mac' && len(bytes) == 1
    var lines = split(bytes[0], "\r", true)
    const is_ended = lines[-1] ==# ''
    return text->extend({
      lines: is_ended ? lines[: -2] : lines,
      fileformat: 'mac',
      bomb: getbufvar(bufnr, '&bomb'),
      endofline: is_ended,
    })
  endif
  return text->extend(file_text.Parse(bytes))
enddef

# Read a file as `:edit` would, in the encoding of a buffer.
def Converted(bufnr: number, path: string): dict<any>
  const encoding = getbufvar(bufnr, '&fileencoding')
  const binary = getbufvar(bufnr, '&binary') ? '++bin' : ''
  const scratch = bufadd('')
  setbufvar(scratch, '&buftype', 'nofile')
  setbufvar(scratch, '&bufhidden', 'hide')
  setbufvar(scratch, '&swapfile', false)
  setbufvar(scratch, '&undolevels', -1)
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
  if !IsFile(path) || !filereadable(path)
    return []
  endif
  try
    const bytes = readfile(path, 'b')
    return empty(bytes) ? [''] : bytes
  catch
    return []
  endtry
enddef

# Read a buffer's file: the `lines`, the options that restore its bytes, and these `bytes`. Empty if
# it cannot be read, or is translated.
export def Read(bufnr: number): dict<any>
  const bytes = IsTranslated(bufnr) ? [] : Bytes(bufnr)
  if empty(bytes)
    return {}
  endif
  const text = IsUnicode(bufnr) ? OfBytes(bufnr, bytes) : Converted(bufnr, file.Name(bufnr))
  return extendnew(text, {bytes: bytes})
enddef

# Make the next change start a new undo step (`:help undo-break`).
export def BreakUndo(bufnr: number)
  setbufvar(bufnr, '&undolevels', getbufvar(bufnr, '&l:undolevels'))
enddef

# Make the next change join the previous undo step. Does nothing after an undo.
export def JoinUndo(bufnr: number)
  inside.Run(bufnr, 'silent! undojoin')
enddef

# From the end, so that the line numbers of earlier hunks stay valid. Lines that are replaced keep
# their marks, signs and text properties.
def Apply(bufnr: number, new: list<string>, hunks: list<list<number>>)
  for [first_old, count_old, first_new, count_new] in reverse(copy(hunks))
    # For an insertion, the hunk names the line before it.
    const row = count_old == 0 ? first_old : first_old - 1
    const paired = min([count_old, count_new])
    if count_new > paired
      const added = rebase.Part(new, first_new - 1 + paired, count_new - paired)
      appendbufline(bufnr, row + paired, added)
    elseif count_old > paired
      deletebufline(bufnr, row + paired + 1, row + count_old)
    endif
    if paired > 0
      setbufline(bufnr, row + 1, rebase.Part(new, first_new - 1, paired))
    endif
  endfor
enddef

# The number of a line after the changes; for a removed line, that of the next one.
def Moved(lnum: number, hunks: list<list<number>>): number
  var shift = 0
  for [first, count, first_new, added] in hunks
    if (count == 0 ? first + 1 : first) > lnum
      break
    elseif lnum < first + count
      return added == 0 ? first_new + 1 : min([lnum + shift, first_new + added - 1])
    endif
    shift += added - count
  endfor
  return lnum + shift
enddef

# Keeps the lines at the cursor and at the top of each window that shows the buffer. In the current
# window, Vim moves only the cursor; in the others, `deletebufline()` moves it twice as far.
def KeepViews(bufnr: number, hunks: list<list<number>>): func
  final views: dict<dict<number>> = {}
  for winid in win_findbuf(bufnr)
    views[winid] = {
      lnum: Moved(getcurpos(winid)[1], hunks),
      topline: Moved(getwininfo(winid)[0].topline, hunks),
    }
  endfor
  return () => {
    for [winid, view] in items(views)
      win_execute(str2nr(winid), $'noautocmd call winrestview({string(view)})')
    endfor
  }
enddef

# Replace a buffer's text in one undo step; only lines that differ are touched. `joins` joins it to
# the previous undo step.
export def Change(bufnr: number, lines: list<string>, joins = false)
  if joins
    JoinUndo(bufnr)
  else
    BreakUndo(bufnr)
  endif
  const new = InBuffer(lines)
  const hunks = rebase.Hunks(getbufline(bufnr, 1, '$'), new)
  const RestoreViews = KeepViews(bufnr, hunks)
  if empty(lines)
    # One empty line would be written as a line end.
    silent deletebufline(bufnr, 1, '$')
  else
    Apply(bufnr, new, hunks)
  endif
  RestoreViews()
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
enddef

def Replace(bufnr: number, text: dict<any>, lines: list<string>)
  Change(bufnr, lines)
  for name in OPTIONS
    # An option that is set to its own value would mark the buffer as modified, too.
    if string(getbufvar(bufnr, '&' .. name)) !=# string(text[name])
      setbufvar(bufnr, '&' .. name, text[name])
    endif
  endfor
  MarkWritten(bufnr)
  const on_disk: list<string> = text.lines
  setbufvar(bufnr, '&modified', InBuffer(lines) !=# InBuffer(on_disk))
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
    Replace(bufnr, text, lines)
  finally
    setbufvar(bufnr, '&modifiable', modifiable)
    setbufvar(bufnr, '&readonly', readonly)
  endtry
enddef

defcompile
