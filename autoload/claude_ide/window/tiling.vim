vim9script
# The windows of tabpages. Popups do not count: they are no windows of a tabpage.

# Whether a window exists.
export def Has(win: number): bool
  return win_id2tabwin(win) != [0, 0]
enddef

# The windows of a tabpage, given by its number.
export def Windows(tab: number): list<number>
  return gettabinfo(tab)->get(0, {windows: []}).windows
enddef

# An option of a window in any tabpage; `getwinvar()` knows only those of the current one. An option
# that this Vim does not have is ''.
export def Option(win: number, name: string): any
  const [tab, number] = win_id2tabwin(win)
  return gettabwinvar(tab, number, '&' .. name)
enddef

# Whether a window keeps its buffer ('winfixbuf', which older Vims do not have).
export def IsFixed(win: number): bool
  return exists('+winfixbuf') && Option(win, 'winfixbuf')
enddef

defcompile
