vim9script
# Converts between a buffer's text and the exact bytes that a write would put on disk, as the lines
# between the line feeds; and between byte columns and the UTF-16 code units of LSP.
#
# A string of Vim cannot contain a NUL: in a line it is a line feed, as in `getline()`.

const BOM = "\ufeff"
const HAS_UTF16 = exists('*strutf16len')

# The options of a buffer that determine the bytes on disk, apart from its lines.
export const FORMAT = ['fileformat', 'bomb', 'endofline']

# The `lines` of a text as a buffer would hold them, and the options that restore its bytes.
export def Parse(text: list<string>): dict<any>
  # There is a line feed, and each follows a carriage return.
  const is_dos = len(text) > 1 && text[: -2]->indexof((_, line) => line[-1] !=# "\r") < 0
  const has_bom = strcharpart(text[0], 0, 1) ==# BOM
  const is_ended = text[-1] ==# ''
  var lines = copy(text)
  if has_bom
    lines[0] = strpart(lines[0], len(BOM))
  endif
  if is_dos
    # What follows the last line feed keeps a carriage return.
    lines = lines[: -2]->map((_, line) => line[: -2])->add(lines[-1])
  endif
  if is_ended
    lines->remove(-1)
  endif
  return {
    lines: lines,
    fileformat: is_dos ? 'dos' : 'unix',
    bomb: has_bom,
    endofline: is_ended,
  }
enddef

# Set those options of a buffer whose values in `values` are other ones. An option that is set to its own
# value would mark the buffer as modified, too.
export def SetOptions(bufnr: number, names: list<string>, values: dict<any>)
  for name in names
    if string(getbufvar(bufnr, '&' .. name)) !=# string(values[name])
      setbufvar(bufnr, '&' .. name, values[name])
    endif
  endfor
enddef

# Replace a buffer's text. The buffer is unmodified afterwards and has no undo history for it.
export def Put(bufnr: number, text: list<string>)
  const parsed = Parse(text)
  const undolevels = getbufvar(bufnr, '&undolevels')
  setbufvar(bufnr, '&undolevels', -1)
  silent deletebufline(bufnr, 1, '$')
  setbufline(bufnr, 1, parsed.lines)
  setbufvar(bufnr, '&undolevels', undolevels)
  SetOptions(bufnr, FORMAT, parsed)
  setbufvar(bufnr, '&fixendofline', false)
  setbufvar(bufnr, '&modified', false)
enddef

# Whether a write ends the last line.
def IsEnded(bufnr: number): bool
  return getbufvar(bufnr, '&endofline')
    || (getbufvar(bufnr, '&fixendofline') && !getbufvar(bufnr, '&binary'))
enddef

# The bytes that writing the buffer as UTF-8 would put on disk. With `is_open` without a final line end that the
# file lacks, although a write would add it. Throws if it is not loaded.
export def Get(bufnr: number, is_open = false): list<string>
  if !bufloaded(bufnr)
    throw 'claude-ide: the buffer is not loaded'
  endif
  var text = getbufline(bufnr, 1, '$')
  const bom = getbufvar(bufnr, '&bomb') ? BOM : ''
  const winid = win_findbuf(bufnr)->get(0, 0)
  # A buffer without any line has an empty one for `getbufline()`. Only a window shows the difference.
  if text ==# [''] && winid > 0 && win_execute(winid, 'echon wordcount().bytes') ==# '0'
    return [bom]
  endif
  if is_open ? !!getbufvar(bufnr, '&endofline') : IsEnded(bufnr)
    text->add('')
  endif
  const format = getbufvar(bufnr, '&fileformat')
  if format ==# 'mac'
    text = [join(text, "\r")]
  elseif format ==# 'dos'
    const last = len(text) - 1
    text->map((index, line) => index < last ? line .. "\r" : line)
  endif
  text[0] = bom .. text[0]
  return text
enddef

# The text of a loaded buffer, and what a write would add to its lines (`BufferText` in
# `editor/port/files.py`). Throws if the lines cannot cross the channel.
export def Describe(bufnr: number, path: string): dict<any>
  const lines = getbufline(bufnr, 1, '$')
  if !IsUtf8(lines)
    throw $'claude-ide: {path}: not valid UTF-8'
  endif
  const Of = (name) => getbufvar(bufnr, '&' .. name)
  return {
    path: path,
    bufnr: bufnr,
    tick: getbufvar(bufnr, 'changedtick'),
    lines: lines,
    fileformat: Of('fileformat'),
    has_bom: !!Of('bomb'),
    is_ended: IsEnded(bufnr),
    is_modified: !!Of('modified'),
    is_writable: Of('modifiable') && !Of('readonly'),
    digest: sha256(join(Get(bufnr), "\n")),
  }
enddef

# Whether lines are UTF-8. Other bytes would not reach the host: `json_encode()` replaces them.
export def IsUtf8(lines: list<string>): bool
  return json_decode(json_encode(lines)) ==# lines
enddef

# The number of UTF-16 code units of a text.
export def Units(text: string): number
  if HAS_UTF16
    # Without the 1, composing characters would not count.
    return call('strutf16len', [text, 1])
  endif
  const characters = strchars(text)
  return characters == len(text) ? characters
    : characters + strchars(substitute(text, '\%#=2[^\U10000-\U10ffff]', '', 'g'))
enddef

# The number of UTF-16 code units before a byte column (from 0); a column past the end counts as the
# end, and one inside a character as the end of that character.
export def Character(text: string, col: number): number
  if col >= len(text)
    return Units(text)
  endif
  const index = charidx(text, col, true)
  const start = byteidxcomp(text, index)
  return Units(strpart(text, 0, start == col ? col : byteidxcomp(text, index + 1)))
enddef

defcompile
