vim9script
# Vim's own dialogues: the prompt fits one line, and there is exactly one answer.

import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'

const ROOM_TO_TYPE = 20 # columns
const FRAME = 10 # columns around a menu
const MOST_ROWS = 10 # of one item
const AROUND = 6 # lines around a menu
const CANCELLED = "\x01cancelled"

def Fitted(prompt: string): string
  return message.Fit(prompt, max([1, &columns - ROOM_TO_TYPE]))
enddef

# Show the line that `Input` is about to ask for.
export def Show(prompt: string, default: string)
  redraw
  # A text that reaches the corner of the screen would cause a prompt.
  echo message.Fit(Fitted(prompt) .. plain.OneLine(default), max([1, v:echospace]))
enddef

# Ask for a line of text. `Callback` gets whether the user has answered, and the text.
#
# Messages are handled at the prompt, too.
export def Input(prompt: string, default: string, Callback: func)
  const shown = Fitted(prompt)
  # What the question is about must be on the screen.
  redraw
  const outcome = reason.Attempt(() => inputdialog(shown, plain.OneLine(default), CANCELLED))
  # The question would remain on the screen.
  redraw
  echo ''
  # CTRL-C is an error.
  if !outcome[0] || outcome[1] ==# CANCELLED
    Callback(false, '')
  else
    Callback(true, outcome[1])
  endif
enddef

# A text in rows that are not too wide. From one that needs too many, the middle is cut out.
def Wrapped(text: string, width: number): list<string>
  final rows = ['']
  for character in message.Shorten(text, width * MOST_ROWS)->split('\zs')
    if rows[-1] !=# '' && strdisplaywidth(rows[-1] .. character) > width
      # After a blank or a slash in its second half, if there is one.
      const last = match(rows[-1], '.*\zs[ /]') + 1
      const end = last > len(rows[-1]) / 2 ? last : len(rows[-1])
      rows->add(strpart(rows[-1], end))
      rows[-2] = strpart(rows[-2], 0, end)
    endif
    rows[-1] ..= character
  endfor
  return rows
enddef

# Ask for one of several texts. `Callback` gets its index from 1, or 0 if the menu is dismissed. Keys
# typed blindly into it are discarded.
# With `is_whole`, an item that is too wide goes on in further rows, which mean the same.
export def Select(prompt: string, items: list<string>, Callback: func, is_whole = false)
  const width = max([1, &columns - FRAME])
  final rows: list<string> = []
  final indices: list<number> = []
  for [index, item] in items->items()
    for row in is_whole ? Wrapped(item, width) : [message.Fit(item, width)]
      rows->add(row)
      indices->add(index + 1)
    endfor
  endfor
  popup_menu(rows, {
    title: $' {message.Fit(prompt, width)} ',
    minwidth: strdisplaywidth(message.Fit(prompt, width)) + 2,
    maxheight: max([1, &lines - AROUND]),
    tabpage: -1,
    callback: (_, row) => Callback(row > 0 ? indices[row - 1] : 0),
  })
  moment.Guard(() => 0)
enddef

defcompile
