" What the selection is in each of several cases, and what `y` yanks of it.
func! TestSelect(cases) abort
  return map(a:cases, {_, case -> s:Select(case)})
endfunc

func! s:Select(case) abort
  silent %delete _
  call setline(1, a:case.lines)
  let &selection = a:case.selection
  let &virtualedit = a:case.virtualedit
  call cursor(a:case.row, 1)
  execute 'normal! ' .. a:case.keys
  let mode = mode()
  let now = claude_ide#selection#Current()
  silent normal! y
  return [mode, now, getreg('"', 1, 1)]
endfunc
