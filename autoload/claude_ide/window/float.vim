vim9script
# A text in a popup in the middle of the screen.

import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'

# Cells of the screen around a text.
const MARGIN = 4

# What keys do in the popup, as Ex commands of its window.
const MOTIONS = {
  'j': "normal! \<C-e>",
  "\<Down>": "normal! \<C-e>",
  "\<ScrollWheelDown>": "normal! 3\<C-e>",
  'k': "normal! \<C-y>",
  "\<Up>": "normal! \<C-y>",
  "\<ScrollWheelUp>": "normal! 3\<C-y>",
  "\<C-d>": "normal! \<C-d>",
  "\<C-u>": "normal! \<C-u>",
  "\<C-f>": "normal! \<C-f>",
  "\<PageDown>": "normal! \<C-f>",
  "\<C-b>": "normal! \<C-b>",
  "\<PageUp>": "normal! \<C-b>",
  'G': 'normal! G',
  'g': 'normal! gg',
}
const CLOSING = ['q', "\<Esc>"]

# Scroll a popup, if the key does so.
export def Scroll(win: number, key: string)
  if has_key(MOTIONS, key)
    win_execute(win, MOTIONS[key])
  endif
enddef

# Other keys do nothing, except `:`, which closes the popup and begins a command.
def Filter(win: number, key: string): bool
  if CLOSING->index(key) >= 0
    popup_close(win)
  elseif key ==# ':'
    popup_close(win)
    return false
  else
    Scroll(win, key)
  endif
  return true
enddef

# Called by the host: show lines in a popup until `q` or <Esc> closes it. `options` has its `title`,
# and whether long lines `wrap`, rather than being cut.
export def Show(given: list<string>, options: dict<any>): number
  const lines = given->mapnew((_, line) => plain.Harmless(line))
  const title = plain.OneLine(options.title)
  const widest = (lines + [title])->mapnew((_, line) => strdisplaywidth(line))->max()
  const width = min([widest, &columns - MARGIN])
  const popup = popup_create(lines, {
    title: $" {title} ",
    border: [],
    padding: [0, 1, 0, 1],
    minwidth: width,
    maxwidth: width,
    maxheight: max([1, &lines - &cmdheight - MARGIN]),
    wrap: get(options, 'wrap', false),
    drag: true,
    # The keys of the filter are those that were typed, not what the user maps them to.
    mapping: false,
    filtermode: 'n',
    filter: Filter,
  })
  screen.Draw()
  return winbufnr(popup)
enddef

defcompile
