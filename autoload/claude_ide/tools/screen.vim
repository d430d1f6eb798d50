vim9script
# Facts for the model's tools about what the user sees, where the user was, and about lists and messages.

import autoload './place.vim'
import autoload '../privacy.vim'

const MOST_LINES = 2000 # of a register

# The `windows` of the current tab page, perhaps with the lines that they show, and how many `tabpages`
# there are. A popup counts if the user is in it.
export def Windows(arguments: dict<any>): dict<any>
  return claude_ide#places#Windows(arguments.text)
enddef

# The `value` of an expression that the host has chosen, in the window that the user works in; and the `bufnr`
# of the buffer there, or of a `file`.
export def Evaluate(arguments: dict<any>): dict<any>
  const win = place.Window()
  const bufnr = has_key(arguments, 'file')
    ? place.OpenBuffer(arguments.file, ', so its marks are unknown') : winbufnr(win)
  win_execute(win, 'legacy let g:claude_ide_value = ' .. arguments.expression)
  return {bufnr: bufnr, value: remove(g:, 'claude_ide_value')}
enddef

# Describe `places`, each [bufnr, line, col] with the column in bytes from 0; `number` is its index, from 0.
# Those in buffers that are gone are left out.
export def Places(arguments: dict<any>): dict<any>
  return {places: claude_ide#places#All(arguments.places)}
enddef

# Whether the unnamed register is the clipboard: with this option, and after `"+y`.
def IsClipboard(name: string): bool
  return name =~# '^[*+]$' || (name ==# '"'
    && (&clipboard =~# 'unnamed' || get(getreginfo('"'), 'points_to', '') =~# '^[*+]$'))
enddef

# The first `lines` of a register and their `total` number. Its text is not read if it `is_clipboard`,
# unless that is allowed, or `is_private`.
export def Register(arguments: dict<any>): dict<any>
  const name: string = arguments.name
  if IsClipboard(name)
    if !arguments.allows_clipboard
      return {is_clipboard: true}
    endif
  elseif privacy.IsInRegister(name)
    return {is_private: true}
  endif
  const lines: list<string> = getregtype(name) ==# '' ? [] : getreg(name, 1, true)
  return {
    total: len(lines),
    lines: lines[: MOST_LINES - 1]->mapnew((_, line) => claude_ide#places#Cut(line)),
  }
enddef

# The lines of the messages.
export def Messages(_: dict<any>): dict<any>
  return {lines: execute('messages')->split("\n")}
enddef

# Put what the command has printed into a new list after all others. Returns how many places 'errorformat'
# has found.
export def ListMade(arguments: dict<any>): dict<any>
  const title = ':' .. arguments.command
  setqflist([], ' ', {nr: '$', title: title, lines: arguments.lines, efm: arguments.efm})
  silent doautocmd <nomodeline> QuickFixCmdPost make
  return {entries: getqflist()->filter((_, entry) => entry.valid)->len()}
enddef

defcompile
