vim9script
scriptencoding utf-8
# Messages to the user. A popup takes no key and never asks for <Enter>, in whatever state Vim is;
# `:messages` and the log get the whole text.

import autoload './log.vim'
import autoload './plain.vim'
import autoload './screen.vim'

const HIGHLIGHTS = {debug: 'Normal', info: 'Normal', warn: 'WarningMsg', error: 'ErrorMsg'}
const HEAD = 0.6 # the share of a shortened text that is its beginning
const SHOWN_MS = 4000
const FRAME = 4 # columns around a message
const POLL = 100 # milliseconds

var shown = 0 # the popup of the last message
var unremembered: list<string> = [] # messages that are not in `:messages` yet

# `%S` counts columns.
def Cut(text: string, columns: number): string
  return printf('%.*S', columns, text)
enddef

# A text as one line. If it is wider than so many columns, its middle is cut out; `head` is the share of them
# that shows its beginning.
export def Shorten(text: string, width: number, head = HEAD): string
  const line = plain.OneLine(text)
  const surplus = strdisplaywidth(line) - width
  if surplus <= 0
    return line
  endif
  const first = float2nr(ceil((width - 1) * head))
  var columns = first + surplus + 1
  # Characters may be wide.
  while strdisplaywidth(Cut(line, columns)) <= first + surplus
    columns += 1
  endwhile
  return Cut(line, first) .. '…' .. strpart(line, len(Cut(line, columns)))
enddef

# A text as one line, cut if it is wider than so many columns.
export def Fit(text: string, width: number): string
  return Shorten(text, max([width, 1]), 1.0)
enddef

# Add the waiting messages to `:messages` without showing them: the popup shows them.
def Remember()
  if empty(unremembered)
    return
  elseif index(['n', 'nt'], mode(1)) < 0 || getcmdtype() !=# ''
    # Drawing over the command line would lose something, or be a prompt.
    timer_start(POLL, (_) => Remember())
    return
  endif
  const shortmess = &shortmess
  # The screen shows a part of it, and `:messages` has the whole text.
  set shortmess+=T
  for line in unremembered
    # A redraw lets the next message overwrite this one; two in a row would be a prompt.
    redraw
    echomsg line
  endfor
  &shortmess = shortmess
  unremembered = []
  redraw
  echo ''
enddef

# Show a message without logging it.
export def ShowUnlogged(text: string, level: string): bool
  const line = plain.OneLine('claude-ide: ' .. text)
  const highlight = get(HIGHLIGHTS, level, 'Normal')
  popup_close(shown)
  shown = popup_notification(Shorten(line, max([&columns - 2 * FRAME, 1])), {
    highlight: highlight,
    borderhighlight: [highlight],
    border: [],
    padding: [0, 1, 0, 1],
    line: &lines - &cmdheight - 1,
    col: 1,
    pos: 'botleft',
    tabpage: -1,
    time: SHOWN_MS,
  })
  unremembered->add(line)
  Remember()
  screen.Draw()
  return true
enddef

# Show a message (`debug`, `info`, `warn`, `error`), and log it.
export def Show(text: string, level: string): bool
  log.Write(level, plain.OneLine(text))
  return ShowUnlogged(text, level)
enddef

# Say that a command or a map is only for Neovim.
export def NeedNeovim(name: string)
  Show($'{name} needs Neovim', 'warn')
enddef

defcompile
