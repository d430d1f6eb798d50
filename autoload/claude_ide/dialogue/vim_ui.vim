vim9script
# Vim's own dialogues: the prompt fits one line, and there is exactly one answer.

import autoload '../say/message.vim'
import autoload '../say/plain.vim'
import autoload '../say/reason.vim'
import autoload '../when/moment.vim'

const ROOM_TO_TYPE = 20 # columns
const FRAME = 10 # columns around a menu
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

# Ask for one of several texts. `Callback` gets its index from 1, or 0 if the menu is dismissed. Keys
# typed blindly into it are discarded.
export def Select(prompt: string, items: list<string>, Callback: func)
  const width = max([1, &columns - FRAME])
  popup_menu(items->mapnew((_, item) => message.Fit(item, width)), {
    title: $' {message.Fit(prompt, width)} ',
    minwidth: strdisplaywidth(message.Fit(prompt, width)) + 2,
    maxheight: max([1, &lines - AROUND]),
    tabpage: -1,
    callback: (_, index) => Callback(max([index, 0])),
  })
  moment.Guard(() => 0)
enddef

defcompile
