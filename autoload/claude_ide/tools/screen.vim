vim9script
# Facts for the model's tools about what the user sees, where the user was, and about lists and messages.

import autoload './buffers.vim'
import autoload '../file/open.vim' as open_files
import autoload '../file/path.vim' as file
import autoload '../privacy.vim'

const MOST_LINES = 2000 # of a register

# The window in which the user works on a file: the current one, or the last one if they are in a
# terminal or a list. Without such a window it is the current one.
export def Window(): number
  const here = win_getid()
  const HasFile = (win) => file.Path(winbufnr(win)) !=# ''
  return HasFile(here) ? here : open_files.Find([tabpagenr()] + range(1, tabpagenr('$')), HasFile) ?? here
enddef

# The `value` of an expression that the host has chosen, in the window that the user works in; and the `bufnr`
# of the buffer there, or of a `file`.
export def Evaluate(arguments: dict<any>): dict<any>
  const win = Window()
  const bufnr = has_key(arguments, 'file')
    ? buffers.OpenBuffer(arguments.file, ', so its marks are unknown') : winbufnr(win)
  win_execute(win, 'legacy let g:claude_ide_value = ' .. arguments.expression)
  return {bufnr: bufnr, value: remove(g:, 'claude_ide_value')}
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

defcompile
