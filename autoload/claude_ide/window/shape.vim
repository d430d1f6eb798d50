vim9script
# Records the sizes and views of a tabpage's windows, and restores them after a disturbance such as
# a diff.

# What `SaveView` has read, for the caller of `win_execute()`.
var view: dict<any> = {}

# Called in a window.
export def SaveView()
  view = winsaveview()
enddef

# Called in a window. A cursor that has moved shows that the user was there.
export def RestoreView(saved: dict<any>)
  if winsaveview() != saved && line('.') == saved.lnum && col('.') == saved.col + 1
    winrestview(saved)
  endif
enddef

def Windows(tab: number = tabpagenr()): list<number>
  return gettabinfo(tab)[0].windows
enddef

def Sizes(tab: number): dict<list<number>>
  final sizes: dict<list<number>> = {}
  for win in Windows(tab)
    sizes[win] = [winwidth(win), winheight(win)]
  endfor
  return sizes
enddef

# Two arrangements are equal if nothing but the sizes of windows has changed.
def Arrangement(tab: number): list<any>
  return [winlayout(tab), &lines, &columns, &cmdheight, &laststatus]
enddef

# The views of the current tabpage's windows. A terminal's view follows its output.
def Views(): dict<dict<any>>
  final views: dict<dict<any>> = {}
  for win in Windows()
    if getbufvar(winbufnr(win), '&buftype') !=# 'terminal'
      win_execute(win, 'call claude_ide#window#shape#SaveView()')
      views[win] = {bufnr: winbufnr(win), view: view}
    endif
  endfor
  return views
enddef

# The shape of the current tabpage, for `Restore`.
export def Hold(): dict<any>
  return {
    windows: Windows(),
    arrangement: Arrangement(tabpagenr()),
    command: winrestcmd(),
    views: Views(),
    settled: {},
  }
enddef

# The number of the tabpage; 0 if all of its windows are gone.
def Tab(shape: dict<any>): number
  return shape.windows->mapnew((_, win) => win_id2tabwin(win)[0])->filter((_, tab) => tab > 0)
    ->get(0, 0)
enddef

# Call this when the disturbance is complete: later changes of sizes are the user's.
export def Settle(shape: dict<any>)
  shape.settled = Sizes(Tab(shape))
enddef

# Note whether the user has changed a size; to be called before the disturbance is undone. That
# cannot be known if windows have gone: their neighbours change size, too.
export def Check(shape: dict<any>)
  const tab = Tab(shape)
  if tab == 0 || empty(shape.settled)
    return
  endif
  const now = Sizes(tab)
  const is_same = keys(now)->sort() == keys(shape.settled)->sort()
  shape.is_resized = is_same && now != shape.settled
enddef

# Restore sizes and views if the user has not rearranged the tabpage. They need not be there.
export def Restore(shape: dict<any>)
  const tab = Tab(shape)
  if tab == 0
    return
  endif
  const is_resized = get(shape, 'is_resized', false)
  if !is_resized && len(shape.windows) > 1 && Arrangement(tab) == shape.arrangement
    win_execute(shape.windows[0], shape.command)
  endif
  for [win, saved] in items(shape.views)
    if winbufnr(str2nr(win)) == saved.bufnr
      win_execute(str2nr(win), printf('call claude_ide#window#shape#RestoreView(%s)',
        string(saved.view)))
    endif
  endfor
enddef

defcompile
