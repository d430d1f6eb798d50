vim9script
# Reports to subscribers that a source has published diagnostics.

import autoload './expectation.vim'
import autoload './sources.vim'
import autoload '../say/reason.vim'

var listeners: list<func(string)> = []
var counts: dict<number> = {}

# Call `Fn` with the name of each source that publishes. The lists of Vim count as one.
export def Subscribe(Fn: func(string))
  listeners->add(Fn)
enddef

# Stop calling it.
export def Unsubscribe(Fn: func(string))
  listeners->filter((_, each) => each isnot Fn && each != Fn)
enddef

# How often a source has published.
export def Count(source: string): number
  return get(counts, source, 0)
enddef

# Record that a source has published, and call the subscribers.
export def Published(source: string)
  counts[source] = Count(source) + 1
  for Fn in copy(listeners)
    call(Fn, [source])
  endfor
enddef

# Only for this module: a source's event. coc.nvim sends its diagnostics later.
export def Heard(source: string)
  # The plugin's own work must not fail because of ours.
  reason.Try(() => {
    if source ==# 'coc'
      claude_ide#diagnostics#source#coc#Fetch((_) => Published(source))
    else
      Published(source)
    endif
  })
enddef

# Start or stop listening.
export def Watch(on: bool)
  augroup claude_ide_checking
    autocmd!
    if on
      for [source, event] in items(sources.EVENTS)
        execute $'autocmd User {event} claude_ide#checking#events#Heard("{source}")'
      endfor
      autocmd QuickFixCmdPost * Heard('lists')
      autocmd BufWinEnter * expectation.NoteShown(str2nr(expand('<abuf>')))
    endif
  augroup END
  # Diagnostics from before the start.
  if on && sources.There()->index('coc') >= 0
    Heard('coc')
  endif
enddef

defcompile
