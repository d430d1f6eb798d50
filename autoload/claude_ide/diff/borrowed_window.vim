vim9script
# The state of a window before a diff uses it: options, folds and view.

import autoload '../window/tiling.vim'

# `:diffthis` sets all of them but 'statusline', which is ours.
export const OPTIONS = ['statusline', 'diff', 'scrollbind', 'cursorbind', 'wrap', 'foldmethod',
  'foldcolumn', 'foldlevel', 'foldenable']

# What `Note` has read, for the caller of `win_execute()`.
var noted: dict<any> = {}

# The commands that make the folds of the current window, taken from the script that `:mkview`
# writes. The rest of the script loads files, sets options and runs autocommands.
def FoldCommands(): list<string>
  const name = tempname()
  const viewoptions = &viewoptions
  &viewoptions = 'folds'
  try
    execute 'silent noautocmd mkview!' fnameescape(name)
  finally
    &viewoptions = viewoptions
  endtry
  const script = readfile(name)
  delete(name)
  const settings = script->mapnew((index, line) => line =~# '^setlocal ' ? index : -1)
  const first = max(settings)
  const last = script->indexof((_, line) => line =~# '^\%(let \)\?&g:so')
  # The level is an option that `GiveBack` sets. Newer Vims write Vim9 script, older ones legacy
  # script.
  return first >= last ? [] : script[first + 1 : last - 1]
    ->filter((_, line) => line !~# '^\%(let \)\?&fdl')
enddef

# Called in a window.
export def Note()
  noted = {view: winsaveview(), folds: &foldmethod ==# 'manual' ? FoldCommands() : []}
enddef

# 'statusline' as the window has it: empty where the global one applies.
def LocalStatusLine(win: number): string
  return win_execute(win, 'echon &l:statusline')
enddef

# Snapshot a window, for `GiveBack`.
export def Borrow(win: number): dict<any>
  final options: dict<any> = {}
  for name in OPTIONS
    options[name] = tiling.Option(win, name)
  endfor
  options.statusline = LocalStatusLine(win)
  win_execute(win, 'call claude_ide#diff#borrowed_window#Note()')
  return {win: win, bufnr: winbufnr(win), options: options, view: noted.view, folds: noted.folds}
enddef

# Called in a window.
export def Unfold(folds: list<string>, view: dict<any>)
  for command in folds
    execute 'silent! keepjumps legacy ' .. command
  endfor
  winrestview(view)
enddef

# End diff mode in a window and restore its state; folds and view only if it shows the same buffer.
export def GiveBack(window: dict<any>)
  const [tab, number] = win_id2tabwin(window.win)
  if tab == 0
    return
  endif
  win_execute(window.win, 'diffoff')
  for [name, value] in items(window.options)
    # Only those that differ: setting 'foldlevel', even to its own value, opens and closes folds.
    if string(tiling.Option(window.win, name)) !=# string(value)
      settabwinvar(tab, number, '&' .. name, value)
    endif
  endfor
  if winbufnr(window.win) == window.bufnr
    win_execute(window.win, printf('call claude_ide#diff#borrowed_window#Unfold(%s, %s)',
      string(window.folds), string(window.view)))
  endif
enddef

defcompile
