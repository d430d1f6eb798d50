vim9script
# Where the popup with a permission is: in the corner of the user's window that is away from the
# cursor; in that of the screen if the window is too small.

const WIDEST = 78
const NARROWEST = 20
const BORDER = 2
const HIGHEST = 0.5 # of the screen, until the user enters it

# The columns for its text, without a blank on either side.
export def Width(): number
  return max([NARROWEST, min([WIDEST, &columns - BORDER - 2])])
enddef

# The first piece of a text, of at most so many columns, but at least one character.
def Piece(text: string, width: number): string
  var piece = strcharpart(text, 0, width)
  while strdisplaywidth(piece) > width && strchars(piece) > 1
    piece = strcharpart(piece, 0, strchars(piece) - 1)
  endwhile
  return piece
enddef

# The rows of the popup: lines that fit its widest form, so that it never has to wrap one.
export def Rows(lines: list<string>): list<string>
  const width = Width() + 1
  var rows: list<string> = []
  for line in lines
    var rest = substitute(line, '\t', '        ', 'g')
    while strdisplaywidth(rest) > width
      const piece = Piece(rest, width)
      rows->add(piece)
      rest = strpart(rest, len(piece))
    endwhile
    rows->add(rest)
  endfor
  return rows
enddef

# The area between the tab line and the command line, as the first row, the row after the last one,
# and the column after the last one; all from 0.
def Screen(): dict<number>
  const has_tabline = &showtabline == 2 || (&showtabline == 1 && tabpagenr('$') > 1)
  const below = &cmdheight + (&laststatus > 0 ? 1 : 0)
  return {top: has_tabline ? 1 : 0, bottom: &lines - below, right: &columns}
enddef

# The user's window: another one may show the dialog of the CLI.
def Window(): dict<number>
  const [row, column] = win_screenpos(0)
  return {top: row - 1, bottom: row - 1 + winheight(0), right: column - 1 + winwidth(0)}
enddef

# The place of the popup: its first `row` and `column` on the screen, from 1, and the `width` and
# the `height` of its text. While `is_entered` it shows as much as possible, near its `old` place
# (empty if it is not shown).
export def Of(rows: list<string>, title: string, is_entered: bool, old: dict<number>): dict<number>
  var area = Screen()
  var most = max([1, area.bottom - area.top - BORDER])
  if !is_entered
    most = max([1, min([most, float2nr(&lines * HIGHEST)])])
  endif
  const widest = rows->mapnew((_, row) => strdisplaywidth(row) + 1)->max()
  const wanted = max([NARROWEST, widest, strdisplaywidth(title)])
  const width = min([wanted, max([1, area.right - BORDER])])
  const height = min([len(rows), most])
  var is_at_top = screenrow() > &lines / 2
  if is_entered && !empty(old)
    is_at_top = old.row + old.height / 2 < &lines / 2
    area.right = min([old.column - 1 + old.width + BORDER, &columns])
  elseif !is_entered && winwidth(0) >= width + BORDER && winheight(0) >= height + BORDER
    area = Window()
    is_at_top = winline() > winheight(0) / 2
  endif
  return {
    row: 1 + (is_at_top ? area.top : max([0, area.bottom - BORDER - height])),
    column: 1 + max([0, area.right - BORDER - width]),
    width: width,
    height: height,
  }
enddef

defcompile
