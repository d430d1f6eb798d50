vim9script
# Records where the user is, and takes them back there. Also where the processes of clients belong.

import autoload './tiling.vim'

# The user's window, and what `CTRL-W p` and `g<Tab>` lead to. Tabpages have no ids: one is known by
# its windows.
export def Current(): dict<any>
  const previous = winnr('#')
  const last_tab = tabpagenr('#')
  return {
    win: win_getid(),
    neighbours: gettabinfo(tabpagenr())[0].windows,
    previous: previous > 0 ? win_getid(previous) : 0,
    last_tab: last_tab > 0 ? win_getid(1, last_tab) : 0,
  }
enddef

# The targets of `CTRL-W p` and `g<Tab>` can only be set by having been there.
def RestoreHistory(target: dict<any>)
  const last_tab = win_id2tabwin(target.last_tab)[0]
  if last_tab > 0 && last_tab != tabpagenr() && last_tab != tabpagenr('#')
    noautocmd win_gotoid(target.last_tab)
    noautocmd win_gotoid(target.win)
  endif
  if win_id2win(target.previous) > 0 && target.previous != target.win
    noautocmd win_gotoid(target.previous)
    noautocmd win_gotoid(target.win)
  endif
enddef

# Take the user back. If the window is gone, go to its tabpage. Returns whether that was possible.
export def GoBack(target: dict<any>): bool
  if tiling.Has(target.win)
    win_gotoid(target.win)
    RestoreHistory(target)
    return true
  endif
  const neighbours = copy(target.neighbours)->filter((_, win) => tiling.Has(win))
  return !empty(neighbours) && win_gotoid(neighbours[0])
enddef

# The launch of the terminal in which a process (0 if it is unknown) runs; empty if that is none of ours.
export def LaunchOf(pid: number): string
  return pid > 0 ? claude_ide#terminals#Home(pid)[1] : ''
enddef

# Call `Open` in the tab page to which a process belongs (0 if it is unknown), and return its visit,
# {place, …}. What it opens takes the user back to where they are now; if it does not move them, they
# are back at once.
export def Visit(pid: number, Open: func(): any): dict<any>
  const tab = pid > 0 ? claude_ide#terminals#Home(pid)[0] : 0
  if tab == 0 || tab == tabpagenr()
    return Open()
  endif
  const origin = Current()
  execute $'noautocmd :{tab}tabnext'
  const win = win_getid()
  var visit: dict<any> = {}
  try
    visit = Open()
    visit.place = origin
  finally
    if win_getid() == win
      GoBack(origin)
    endif
  endtry
  return visit
enddef

defcompile
