vim9script
# The CLIs that `:Claude` has started: which one commands mean, and to which tab page each belongs.
#
# A terminal is a dict: its `bufnr` (0 if it is in a `pane` of tmux, see `pane.vim`), its `name`, its
# `place` (`side` and `size`), the `launch` under which it reports what it does (empty if it does
# not), its `home` (`Tab`), its `worktree`, and whether it `is_found`: an earlier editor has left it,
# and the user was not there yet.

import autoload './pane.vim'
import autoload '../channel.vim'

var terminals: list<dict<any>> = [] # the last used one first
var per = 'neovim' # 'neovim', 'tab' or 'worktree'
var last_tab = 0

# A number that a tab page keeps, unlike the one that Vim gives it. Default: the current one.
export def Tab(tab: number = tabpagenr()): number
  var id = gettabvar(tab, 'claude_ide_tab', 0)
  if id == 0
    last_tab += 1
    id = last_tab
    settabvar(tab, 'claude_ide_tab', id)
  endif
  return id
enddef

# The number that Vim gives to the tab page with a number from `Tab`; 0 if it is closed.
export def TabNumber(id: number): number
  return range(1, tabpagenr('$'))
    ->indexof((_, tab) => gettabvar(tab, 'claude_ide_tab', 0) == id) + 1
enddef

def Worktree(): string
  const here = getcwd()
  const above = escape(here, ' ,;*\') .. ';'
  const folder = finddir('.git', above)
  const found = folder !=# '' ? folder : findfile('.git', above)
  return found ==# '' ? here : fnamemodify(found, ':p')->substitute('/\?\.git/\?$', '', '')
enddef

def IsAlive(terminal: dict<any>): bool
  if !empty(terminal.pane)
    return pane.IsAlive(terminal.pane)
  endif
  return bufexists(terminal.bufnr) && term_getstatus(terminal.bufnr) =~# 'running'
enddef

# Forget a terminal whose CLI has ended.
export def Remove(terminal: dict<any>)
  const index = terminals->indexof((_, other) => other is terminal)
  if index < 0
    return
  endif
  terminals->remove(index)
  if terminal.launch !=# ''
    channel.Emit('terminal_ended', {launch: terminal.launch})
  endif
enddef

# All that run, the last used one first.
export def All(): list<dict<any>>
  for terminal in copy(terminals)
    if !IsAlive(terminal)
      Remove(terminal)
    endif
  endfor
  return terminals
enddef

def Find(Test: func(dict<any>): bool): dict<any>
  const index = All()->indexof((_, terminal) => Test(terminal))
  return index < 0 ? {} : terminals[index]
enddef

# The terminal of a buffer; empty if it is none of ours, or its CLI has ended.
export def Of(bufnr: number): dict<any>
  return bufnr == 0 ? {} : Find((terminal) => terminal.bufnr == bufnr)
enddef

# The terminal with a name; empty if there is none.
export def Named(name: string): dict<any>
  return Find((terminal) => terminal.name ==# name)
enddef

# A number that is not the name of another one.
export def NewName(): string
  var number = 1
  while !empty(Named(string(number)))
    number += 1
  endwhile
  return string(number)
enddef

# Set the option `terminal.per`.
export def SetPer(given: string)
  per = given
enddef

# Whether commands can mean a terminal here.
def IsMeant(terminal: dict<any>): bool
  if per ==# 'tab'
    return terminal.home == Tab()
  elseif per ==# 'worktree'
    return terminal.worktree ==# Worktree()
  endif
  return true
enddef

# The one that commands mean: the one that the user is in, or the last used one; with the option
# `terminal.per` the last used one of this tab page, or of this worktree. Empty if there is none.
export def Current(): dict<any>
  const entered = Of(bufnr())
  return empty(entered) ? Find(IsMeant) : entered
enddef

# Like `Current`, to be shown or hidden now: one in a pane that has just closed does not count.
export def Usable(): dict<any>
  var terminal = Current()
  while !empty(terminal) && !empty(terminal.pane) && !pane.Exists(terminal.pane)
    Remove(terminal)
    terminal = Current()
  endwhile
  return terminal
enddef

# Add a terminal that has been started here: its `bufnr` or `pane`, `name`, `place` and `launch`.
export def Add(given: dict<any>): dict<any>
  final terminal = extendnew(
    {bufnr: 0, pane: {}, is_found: false, home: Tab(), worktree: Worktree()}, given)
  terminals->insert(terminal)
  return terminal
enddef

# Note that the user uses a terminal in this tab page. It belongs here from now on, unless every tab
# page has its own.
export def Use(terminal: dict<any>)
  const index = terminals->indexof((_, other) => other is terminal)
  if index < 0
    return
  endif
  terminals->insert(terminals->remove(index))
  if per !=# 'tab' || TabNumber(terminal.home) == 0
    terminal.home = Tab()
  endif
enddef

defcompile
