vim9script
# Runs commands with a buffer current, without events and without a change on the screen.

# Run an Ex command with a loaded buffer current; return what it prints. A buffer without
# a window is shown in a hidden popup while the command runs.
export def Run(bufnr: number, command: string): string
  if bufnr == bufnr()
    return execute(command, '')
  endif
  const winid = win_findbuf(bufnr)->get(0, 0)
  if winid > 0
    return win_execute(winid, command, '')
  endif
  const popup = popup_create(bufnr, {hidden: true})
  try
    return win_execute(popup, command, '')
  finally
    popup_close(popup)
  endtry
  return ''
enddef

var Called: func
var result: any

# Called in a window.
export def RunCalled()
  result = call(Called, [])
enddef

# Call a function with a window current; return its result.
export def Call(win: number, Fn: func): any
  Called = Fn
  win_execute(win, 'call claude_ide#window#inside#RunCalled()')
  return result
enddef

defcompile
