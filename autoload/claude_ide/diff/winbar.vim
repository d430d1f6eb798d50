vim9script
scriptencoding utf-8
# The bars of a diff: the file, who proposes the change, and the keys. Vim has no window bars, so
# the windows' status lines show them.

import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../window/location.vim'
import autoload '../window/winbar.vim' as window_bar

# Widest first.
const KEYS = [':w accept · :q reject', ':w yes · :q no', ':w · :q']
const WITH_OFFER = ':w accept · %s always · :q reject'
# What is shown along with the path, longest first: the next entry applies if the path would get
# fewer than `least` columns.
const EXTRAS = [
  {names: ['title', 'hint', 'note', 'count'], least: 20},
  {names: ['title', 'hint', 'count'], least: 12},
  {names: ['title', 'hint'], least: 8},
  {names: ['hint', 'count'], least: 8},
  {names: ['hint'], least: 4},
  {names: [], least: 0},
]
const LEAST_WARNING = 4
const LEAST_WHY = 12

final bars: dict<dict<any>> = {} # by window
# What agents have said before they edit a file. The CLI in a terminal does not say so with its edit:
# its hooks report it for the file, often only after the diff has opened.
final reasons: dict<string> = {} # by launch and path

def BlankAround(text: string): string
  return text ==# '' ? '' : $' {text} '
enddef

# The end of a text, which distinguishes names better than their start.
def Ending(text: string, room: number): string
  if strdisplaywidth(text) <= room
    return text
  endif
  var length = strchars(text)
  while length > 0 && strdisplaywidth(strcharpart(text, strchars(text) - length)) >= room
    length -= 1
  endwhile
  return '…' .. strcharpart(text, strchars(text) - length)
enddef

# Shorten a path to so many columns, first by its leading folders.
def Shorten(path: string, room: number): string
  if strdisplaywidth(path) <= room
    return path
  endif
  const parts = split(path, '/')
  var kept = parts[-1]
  var index = len(parts) - 2
  while index >= 0 && strdisplaywidth($'…/{parts[index]}/{kept}') <= room
    kept = parts[index] .. '/' .. kept
    index -= 1
  endwhile
  const shortened = '…/' .. kept
  return strdisplaywidth(shortened) <= room ? shortened : Ending(kept, room)
enddef

# The keys, shortened to make room for warning and hint.
def KeysOf(bar: dict<any>, columns: number): string
  const others = strdisplaywidth(BlankAround(bar.warning) .. BlankAround(bar.hint))
    + min([strdisplaywidth(bar.path), bar.warning ==# '' ? 10 : 20]) + 2
  for keys in bar.keys
    if columns - strdisplaywidth(BlankAround(keys)) >= others
      return BlankAround(keys)
    endif
  endfor
  return BlankAround(get(bar.keys, -1, ''))
enddef

def WarningOf(bar: dict<any>, room: number): string
  const shown = BlankAround(bar.warning)
  if strdisplaywidth(shown) <= room
    return shown
  endif
  return room >= LEAST_WARNING ? message.Fit(bar.warning, room) : ''
enddef

# Title, note and count if they fit.
def ExtrasOf(bar: dict<any>, columns: number): dict<string>
  final extras: dict<string> = {}
  for choice in EXTRAS
    extras->filter((_, _) => false)
    for name in choice.names
      extras[name] = BlankAround(bar[name])
    endfor
    const room = columns - 2 - strdisplaywidth(join(values(extras), ''))
    const drops_count = bar.count !=# '' && has_key(extras, 'title') && !has_key(extras, 'count')
    if !drops_count && room >= min([strdisplaywidth(bar.path), choice.least])
      break
    endif
  endfor
  return extras
enddef

# The parts of a bar by name, shortened to fit the columns.
def Fit(bar: dict<any>, columns: number): dict<string>
  const keys = KeysOf(bar, columns)
  const warning = WarningOf(bar, columns - strdisplaywidth(keys))
  const extras = ExtrasOf(bar, columns - strdisplaywidth(keys .. warning))
  const room = columns - strdisplaywidth(keys .. warning .. join(values(extras), '')) - 2
  const path = room > 0 ? BlankAround(Shorten(bar.path, room)) : ''
  const rest = room + 2 - strdisplaywidth(path)
  const words = BlankAround(bar.why)
  return {
    title: get(extras, 'title', ''),
    path: path,
    warning: warning,
    note: get(extras, 'hint', '') .. get(extras, 'note', ''),
    count: get(extras, 'count', ''),
    why: words !=# '' && rest >= LEAST_WHY ? message.Fit(words, rest) : '',
    keys: keys,
  }
enddef

def Part(text: string, group: string): string
  return text ==# '' ? '' : $'%#{group}#{plain.StatusLine(text)}'
enddef

def KeysFor(diff: dict<any>): list<string>
  const key = get(diff, 'accepts_edits_by', '')
  return has_key(diff, 'offer') && key !=# '' ? [printf(WITH_OFFER, key)] + KEYS : KEYS
enddef

def CountOf(bar: dict<any>): string
  if !has_key(bar, 'diff')
    return ''
  endif
  const [place, count] = call(bar.diff.Place, [])
  return place > 0 && count > 1 ? $'diff {place}/{count}' : ''
enddef

# What the agent has said before it has proposed a diff; empty if that is unknown.
def Why(diff: dict<any>, launch: string): string
  return get(diff, 'why', get(reasons, $'{launch} {diff.path}', ''))
enddef

# Note what the CLI of a launch has said before it edits a file; `words` is empty if the edit is
# over.
export def Tell(launch: string, path: string, words: string): bool
  reasons[$'{launch} {path}'] = words
  reasons->filter((_, said) => said !=# '')
  screen.DrawStatusLines()
  return true
enddef

# The status line of the window that is being drawn, in the format of 'statusline'.
export def Line(): string
  const win = g:statusline_winid
  if !has_key(bars, win)
    return ''
  endif
  final bar = copy(bars[win])
  bar.count = CountOf(bar)
  bar.keys = has_key(bar, 'diff') ? KeysFor(bar.diff) : []
  bar.why = has_key(bar, 'diff') ? strtrans(plain.OneLine(Why(bar.diff, bar.launch))) : ''
  const shown = Fit(bar, winwidth(win))
  return Part(shown.title, 'Title') .. Part(shown.path, 'StatusLine')
    .. Part(shown.warning, 'ErrorMsg') .. Part(shown.note, 'WarningMsg')
    .. Part(shown.count, 'StatusLine') .. Part(shown.why, 'StatusLineNC')
    .. '%#StatusLine#%=' .. Part(shown.keys, 'StatusLine')
enddef

def NoteOf(diff: dict<any>, windows: dict<any>): string
  if windows.unsaved > 0
    return 'on disk; unsaved lines stay'
  elseif has_key(diff, 'original') && !get(diff, 'is_unsaved', false)
    # A change to a buffer replaces nothing on disk.
    return ''
  elseif getbufvar(windows.original, '&buftype') !=# ''
    return 'new file'
  endif
  return getbufvar(windows.original, '&modified') ? 'unsaved changes' : ''
enddef

# Set the bars of a diff's windows.
export def Set(diff: dict<any>, windows: dict<any>)
  bars->filter((win, _) => win_id2tabwin(str2nr(win)) != [0, 0])
  const common = {
    path: strtrans(plain.Harmless(diff.where.path)),
    warning: diff.where.warning,
    title: '',
    note: '',
    hint: '',
  }
  bars[windows.left] = extend({note: NoteOf(diff, windows) ?? 'current'}, common, 'keep')
  bars[windows.right] = extend({
    diff: diff,
    launch: location.LaunchOf(get(diff, 'pid', 0)),
    title: strtrans(plain.OneLine(diff.title)),
    hint: strtrans(plain.OneLine(get(diff, 'hint', has_key(diff, 'label') ? $'[{diff.label}]' : ''))),
  }, common, 'keep')
  for win in [windows.left, windows.right]
    window_bar.Set(win, '%!claude_ide#diff#winbar#Line()')
  endfor
enddef

# Release the status lines of a diff's windows, and the diff, with its text.
export def Release(windows: dict<any>)
  for name in ['left', 'right']
    if has_key(windows, name)
      window_bar.Release(windows[name])
      bars->filter((win, _) => str2nr(win) != windows[name])
    endif
  endfor
enddef

defcompile
