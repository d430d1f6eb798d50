vim9script
# What a callback changes is drawn with the next redraw only.

# Draw what has changed. Prompts must not be drawn over: it waits until they have ended.
export def Draw()
  if mode() !~# '^[r!c]'
    redraw
  endif
enddef

defcompile
