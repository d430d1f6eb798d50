vim9script
# The tab pages to which the processes of clients belong, and visits to them.

import autoload './location.vim'

var Finder: func(number): number = (_) => 0

# Have a function find the tab page of a process: its number, or 0.
export def FindBy(Find: func(number): number)
  Finder = Find
enddef

# Call `Open` in the tab page to which a process belongs (0 if it is unknown), and return its visit,
# {place, …}. What it opens takes the user back to where they are now; if it does not move them, they
# are back at once.
export def Visit(pid: number, Open: func(): any): dict<any>
  const tab = pid > 0 ? Finder(pid) : 0
  if tab == 0 || tab == tabpagenr()
    return Open()
  endif
  const origin = location.Current()
  execute $'noautocmd :{tab}tabnext'
  const win = win_getid()
  var visit: dict<any> = {}
  try
    visit = Open()
    visit.place = origin
  finally
    if win_getid() == win
      location.GoBack(origin)
    endif
  endtry
  return visit
enddef

defcompile
