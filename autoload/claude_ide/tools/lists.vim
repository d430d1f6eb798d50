vim9script
# The model's questions about registers, and the quickfix and location lists.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload '../privacy.vim'

const MOST_LINES = 2000 # of a register

# Not `=`, which is evaluated when it is read, and not what the user has typed, in whatever file or
# command: `.`, `:` and `/`.
const READABLE = '^[[:alnum:]"\-#%]$'
const TYPED = '^[.:/]$'
const CLIPBOARD = '^[*+]$'

# Whether the unnamed register is the clipboard: with this option, and after `"+y`.
def IsClipboard(name: string): bool
  return name =~# CLIPBOARD || (name ==# '"'
    && (&clipboard =~# 'unnamed' || get(getreginfo('"'), 'points_to', '') =~# CLIPBOARD))
enddef

# Why a register must not be read, if so.
def Refusal(name: string, allows_clipboard: bool): string
  if IsClipboard(name)
    return allows_clipboard ? '' : 'the clipboard is not for the model (tools.clipboard)'
  elseif name =~# TYPED
    return $'register {name} has what the user has typed, which is not for the model'
  elseif name !~# READABLE
    return $'there is no register {name} to read'
  elseif privacy.IsInRegister(name)
    return 'its text is from a file that the user keeps private'
  endif
  return ''
enddef

# The text of a register.
export def Register(arguments: dict<any>): dict<any>
  const name: string = arguments.name
  const why = Refusal(name, arguments.allows_clipboard)
  if why !=# ''
    return {error: why}
  endif
  const lines: list<string> = getregtype(name) ==# '' ? [] : getreg(name, 1, true)
  return {total: len(lines), lines: bounded.Lines(lines[: MOST_LINES - 1])}
enddef

def Described(entry: dict<any>): dict<any>
  const path = entry.bufnr > 0 ? place.Name(entry.bufnr) : ''
  const text = place.Line(entry.bufnr, entry.lnum)
  return {
    path: path,
    line: entry.lnum,
    column: text !=# '' && entry.col > 0 && entry.vcol == 0
      ? place.Column(text, entry.col - 1) : entry.col,
    kind: entry.type,
    text: path ==# '' && privacy.IsNamed(entry.text) ? '' : bounded.Line(entry.text),
    is_valid: entry.valid == 1,
  }
enddef

# Entries of the quickfix list, or of the location list of the window that the user works in.
export def Quickfix(arguments: dict<any>): dict<any>
  const what = {title: 0, idx: 0, size: 0, items: 0}
  const list = arguments.list ==# 'location' ? getloclist(place.Window(), what) : getqflist(what)
  const last: number = arguments.offset + arguments.limit - 1
  const part: list<dict<any>> = list.items[arguments.offset : last]
  return {
    title: list.title,
    total: list.size,
    current: list.idx,
    entries: part->mapnew((_, entry) => Described(entry)),
  }
enddef

defcompile
