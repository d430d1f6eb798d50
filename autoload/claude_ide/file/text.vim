vim9script
# Converts between a buffer's text and the exact bytes that a write would put on disk, as the lines
# between the line feeds.
#
# A string of Vim cannot contain a NUL: in a line it is a line feed, as in `getline()`.

const BOM = "\ufeff"

# The options of a buffer that determine the bytes on disk, apart from its lines.
export const FORMAT = ['fileformat', 'bomb', 'endofline']

# Whether 'fileformat' should be "dos": there is a line feed, and each follows a carriage return.
def IsDos(text: list<string>): bool
  return len(text) > 1 && text[: -2]->indexof((_, line) => line[-1] !=# "\r") < 0
enddef

# The `lines` of a text as a buffer would hold them, and the options that restore its bytes.
export def Parse(text: list<string>): dict<any>
  const is_dos = IsDos(text)
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

# Replace a buffer's text. The buffer is unmodified afterwards and has no undo history for it.
export def Put(bufnr: number, text: list<string>)
  const parsed = Parse(text)
  const undolevels = getbufvar(bufnr, '&undolevels')
  setbufvar(bufnr, '&undolevels', -1)
  silent deletebufline(bufnr, 1, '$')
  setbufline(bufnr, 1, parsed.lines)
  setbufvar(bufnr, '&undolevels', undolevels)
  for name in FORMAT
    setbufvar(bufnr, '&' .. name, parsed[name])
  endfor
  setbufvar(bufnr, '&fixendofline', false)
  setbufvar(bufnr, '&modified', false)
enddef

# Whether a buffer has no line at all; `getbufline()` returns an empty one for it, too. Only a
# window with the buffer shows the difference.
def HasNoLine(bufnr: number): bool
  const winid = win_findbuf(bufnr)->get(0, 0)
  return winid > 0 && win_execute(winid, 'echon wordcount().bytes') ==# '0'
enddef

# The bytes that writing the buffer as UTF-8 would put on disk if it had these lines.
export def WithLines(bufnr: number, lines: list<string>): list<string>
  const format = getbufvar(bufnr, '&fileformat')
  const is_ended = getbufvar(bufnr, '&endofline')
    || (getbufvar(bufnr, '&fixendofline') && !getbufvar(bufnr, '&binary'))
  var text = copy(lines)
  if format ==# 'mac'
    text = [join(lines, "\r") .. (is_ended ? "\r" : '')]
  elseif format ==# 'dos'
    const last = len(lines) - 1
    text->map((index, line) => index < last || is_ended ? line .. "\r" : line)
  endif
  if is_ended && format !=# 'mac'
    text->add('')
  endif
  if getbufvar(bufnr, '&bomb')
    text[0] = BOM .. text[0]
  endif
  return text
enddef

# The bytes that writing the buffer as UTF-8 would put on disk. Throws if it is not loaded.
export def Get(bufnr: number): list<string>
  if !bufloaded(bufnr)
    throw 'claude-ide: the buffer is not loaded'
  endif
  const lines = getbufline(bufnr, 1, '$')
  if lines ==# [''] && HasNoLine(bufnr)
    return [getbufvar(bufnr, '&bomb') ? BOM : '']
  endif
  return WithLines(bufnr, lines)
enddef

# The text of a loaded buffer, and what a write would add to its lines (`BufferText` in
# `editor/port/buffers.py`). Throws if the lines cannot cross the channel.
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
    is_ended: Of('endofline') || (Of('fixendofline') && !Of('binary')),
    is_modified: !!Of('modified'),
    is_writable: Of('modifiable') && !Of('readonly'),
    digest: sha256(join(Get(bufnr), "\n")),
  }
enddef

# Whether lines are UTF-8. Other bytes would not reach the host: `json_encode()` replaces them.
export def IsUtf8(lines: list<string>): bool
  return json_decode(json_encode(lines)) ==# lines
enddef

defcompile
