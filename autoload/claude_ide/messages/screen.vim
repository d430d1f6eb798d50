vim9script
# What a callback changes is drawn with the next redraw only.

# Draw what has changed; return whether it has been drawn. Prompts must not be drawn over: it waits until
# they have ended.
export def Draw(): bool
  if mode() =~# '^[r!c]'
    return false
  endif
  redraw
  return true
enddef

# Draw all status lines, but at a prompt only after it.
export def DrawStatusLines()
  if mode() !~# '^[r!c]'
    redrawstatus!
    return
  endif
  augroup claude_ide_screen
    autocmd! SafeState * ++once redrawstatus!
  augroup END
enddef

defcompile
