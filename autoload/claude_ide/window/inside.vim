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

defcompile
