vim9script
# Writes a text that the user has accepted through the buffer of its file, as the user would: changed
# in one undo step, and saved. The host decides what may be written, and when.

import autoload '../file/buffers.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/disk.vim'
import autoload '../file/text.vim' as file_text
import autoload '../timing/moment.vim'
import autoload './reload.vim'

# By buffer, until it is saved: the `lines` and the `format` before, and the `text` that was given.
final replaced: dict<dict<any>> = {}

# A file's buffer as the host has to know it before a write (`FileBuffer` in `editor/port/files.py`); empty
# if the file is not loaded. With `has_text` it has the text, as it would be on disk, in place of its digest.
# Throws if no such file may be written.
export def Look(path: string, has_text: bool): any
  const checked = file.Check(path)
  if has_key(checked, 'refusal')
    throw $'claude-ide: {checked.refusal}'
  endif
  const bufnr = buffers.Loaded(checked.path)
  if bufnr == 0
    return v:null
  elseif !getbufvar(bufnr, '&modified')
    reload.SyncOne(bufnr)
  endif
  const is_modified = !!getbufvar(bufnr, '&modified')
  const text = file_text.Get(bufnr)
  return {
    bufnr: bufnr,
    changedtick: getbufvar(bufnr, 'changedtick'),
    stamp: disk.Stamp(checked.path),
    is_modified: is_modified,
    is_only_shown: !is_modified && (getbufvar(bufnr, '&readonly') || !getbufvar(bufnr, '&modifiable')),
    is_behind: !is_modified && !moment.MayChange(bufnr),
    encoding: edit.IsTranslated(bufnr) || (is_modified && !file_text.IsUtf8(text)) ? ''
      : getbufvar(bufnr, '&fileencoding') ?? 'utf-8',
  }->extend(has_text ? {text: text} : {digest: sha256(join(text, "\n"))})
enddef

# Whether a buffer has unsaved changes, or the present text of its file, so that its text can be replaced and
# saved.
export def Check(bufnr: number, _: dict<any>): bool
  return getbufvar(bufnr, '&modified') || !disk.HasChanged(bufnr)
enddef

# Replace the text of a buffer in one undo step, and its options with those of the text; `joins` joins it to
# the previous step. Returns the new 'changedtick'.
export def Replace(bufnr: number, given: dict<any>): number
  const first = get(given, 'joins', false) ? get(replaced, bufnr, {}) : {}
  final format: dict<any> = {}
  for name in file_text.FORMAT
    format[name] = getbufvar(bufnr, '&' .. name)
  endfor
  const before = first ?? {lines: getbufline(bufnr, 1, '$'), format: format}
  replaced[bufnr] = extendnew(before, {text: given.text})
  if get(given, 'encoding', '') !=# ''
    setbufvar(bufnr, '&fileencoding', given.encoding)
  endif
  const parsed = file_text.Parse(given.text)
  edit.Change(bufnr, parsed.lines, get(given, 'joins', false))
  file_text.SetOptions(bufnr, file_text.FORMAT, parsed)
  return getbufvar(bufnr, 'changedtick')
enddef

# Save a buffer whose text was just replaced. If that fails, the earlier text, which had no unsaved changes,
# comes back. Returns a `refusal`; or the `text` that the file has now, if it is another one, such as a
# formatted one.
export def Save(bufnr: number, path: string, agent: string, is_accepted: bool): dict<any>
  const before = remove(replaced, string(bufnr))
  const refusal = disk.Write(bufnr)
  if refusal ==# ''
    const saved = file_text.Get(bufnr)
    return saved == before.text ? {} : {text: saved}
  endif
  edit.Change(bufnr, before.lines)
  file_text.SetOptions(bufnr, file_text.FORMAT, before.format)
  setbufvar(bufnr, '&modified', disk.IsDamaged())
  if disk.IsDamaged()
    reload.ExpectNothing(bufnr)
  endif
  reload.SyncOne(bufnr)
  return {refusal: refusal}
enddef

defcompile
