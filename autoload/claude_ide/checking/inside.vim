vim9script
# Runs a command with a buffer current, whether or not a window shows it.

# Return what the command says. A buffer that no window of this tabpage shows gets a hidden popup for
# a moment: a window that no event tells of, and for which nothing is drawn.
export def Run(bufnr: number, command: string): string
  const win = bufwinid(bufnr)
  if win > 0
    return win_execute(win, command, 'silent')
  endif
  const popup = popup_create(bufnr, {hidden: 1})
  try
    return win_execute(popup, command, 'silent')
  finally
    popup_close(popup)
  endtry
  return ''
enddef
