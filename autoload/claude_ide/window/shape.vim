vim9script
# Records the sizes and views of a tabpage's windows, and restores them after a disturbance such as
# a diff.

def View(win: number): dict<any>
  return json_decode(win_execute(win, 'echo json_encode(winsaveview())'))
enddef

# The layout of a tabpage, and the sizes of its windows.
def State(tab: number): list<any>
  const sizes = gettabinfo(tab)[0].windows->mapnew((_, win) => [winwidth(win), winheight(win)])
  return [winlayout(tab), sizes]
enddef

# Two arrangements are equal if nothing but the sizes of windows has changed.
def Arrangement(tab: number): list<any>
  return [winlayout(tab), &lines, &columns, &cmdheight, &laststatus]
enddef

# The shape of the current tabpage, for `Restore`.
export def Hold(): dict<any>
  const windows = gettabinfo(tabpagenr())[0].windows
  final views: dict<dict<any>> = {}
  for win in windows
    # A terminal's view follows its output.
    if getbufvar(winbufnr(win), '&buftype') !=# 'terminal'
      views[win] = {bufnr: winbufnr(win), view: View(win)}
    endif
  endfor
  return {
    windows: windows,
    arrangement: Arrangement(tabpagenr()),
    command: winrestcmd(),
    views: views,
    settled: [],
    is_resized: false,
  }
enddef

# The number of the tabpage; 0 if all of its windows are gone.
def Tab(shape: dict<any>): number
  return shape.windows->mapnew((_, win) => win_id2tabwin(win)[0])->filter((_, tab) => tab > 0)
    ->get(0, 0)
enddef

# Call this when the disturbance is complete: later changes of sizes are the user's.
export def Settle(shape: dict<any>)
  shape.settled = State(Tab(shape))
enddef

# Note whether the user has changed a size; to be called before the disturbance is undone. That
# cannot be known if windows have gone: their neighbours change size, too.
export def Check(shape: dict<any>)
  const tab = Tab(shape)
  if tab > 0 && !empty(shape.settled)
    const now = State(tab)
    shape.is_resized = now[0] == shape.settled[0] && now != shape.settled
  endif
enddef

# Restore sizes and views if the user has not rearranged the tabpage. They need not be there.
export def Restore(shape: dict<any>)
  const tab = Tab(shape)
  if tab == 0
    return
  endif
  if !shape.is_resized && len(shape.windows) > 1 && Arrangement(tab) == shape.arrangement
    win_execute(shape.windows[0], shape.command)
  endif
  for [key, saved] in items(shape.views)
    const win = str2nr(key)
    const now = winbufnr(win) == saved.bufnr ? View(win) : {}
    # A cursor that has moved shows that the user was there.
    if [get(now, 'lnum', 0), get(now, 'col', 0)] == [saved.view.lnum, saved.view.col] && now != saved.view
      win_execute(win, $'call winrestview({string(saved.view)})')
    endif
  endfor
enddef

defcompile
