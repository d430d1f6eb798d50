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
# How many of the last spellings are for narrow windows only.
const SHORT = 2
# What is shown beside path, warning and keys, fullest first: the next entry applies if the path would
# get fewer than `least` columns.
const BESIDE = [
  {names: ['title', 'hint', 'note', 'count'], least: 20},
  {names: ['title', 'hint', 'count'], least: 12},
  {names: ['hint', 'count'], least: 8},
  {names: ['hint'], least: 4},
  {names: [], least: 0},
]
const PARTS = [['title', 'Title'], ['path', 'StatusLine'], ['warning', 'ErrorMsg'], ['hint', 'WarningMsg'],
  ['note', 'WarningMsg'], ['count', 'StatusLine'], ['why', 'StatusLineNC'], ['keys', 'StatusLine']]
const LEAST_WARNING = 4
const LEAST_WHY = 12

final bars: dict<dict<any>> = {} # by window
# What agents have said before they edit a file. The CLI in a terminal does not say so with its edit:
# its hooks report it for the file, often only after the diff has opened.
final reasons: dict<string> = {} # by launch and path

def BlankAround(text: string): string
  return text ==# '' ? '' : $' {text} '
enddef

# Shorten a path to so many columns, first by its leading folders; the end of a name distinguishes it
# better than its start.
def Shorten(path: string, room: number): string
  var shortened = path
  final parts = split(path, '/')
  while strdisplaywidth(shortened) > room && len(parts) > 1
    remove(parts, 0)
    shortened = '…/' .. join(parts, '/')
  endwhile
  if strdisplaywidth(shortened) <= room
    return shortened
  endif
  var name = parts[0]
  while name !=# '' && strdisplaywidth(name) >= room
    name = strcharpart(name, 1)
  endwhile
  return '…' .. name
enddef

# The parts but path and words, and the columns that remain for these.
def Composed(bar: dict<any>, columns: number, keys: string, names: list<string>): list<any>
  final shown = {keys: BlankAround(keys)}
  for name in names
    shown[name] = BlankAround(bar[name])
  endfor
  const room = columns - strdisplaywidth(join(values(shown), ''))
  shown.warning = BlankAround(bar.warning)
  if strdisplaywidth(shown.warning) > room
    shown.warning = room >= LEAST_WARNING ? message.Fit(bar.warning, room) : ''
  endif
  return [shown, room - strdisplaywidth(shown.warning)]
enddef

# The fullest composition in which the path has room. Keys are shortened to make room for the warning,
# but not for a few letters of the path.
def Fullest(bar: dict<any>, columns: number): list<any>
  var found: list<any> = []
  for index in range(len(bar.keys))
    const wanted = index >= len(bar.keys) - SHORT ? 0 : bar.warning ==# '' ? 10 : 20
    for beside in BESIDE
      const least = min([strdisplaywidth(bar.path), max([wanted, beside.least])])
      found = Composed(bar, columns, bar.keys[index], beside.names)
      if found[1] >= (least > 0 ? least + 2 : 0)
        return found
      endif
    endfor
  endfor
  return found
enddef

# The parts of a bar by name, shortened to fit the columns.
def Fit(bar: dict<any>, columns: number): dict<string>
  final [shown, room] = Fullest(bar, columns)
  shown.path = room > 2 ? BlankAround(Shorten(bar.path, room - 2)) : ''
  const rest = room - strdisplaywidth(shown.path)
  shown.why = bar.why !=# '' && rest >= LEAST_WHY ? message.Fit(BlankAround(bar.why), rest) : ''
  return shown
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
  bar.keys = has_key(bar, 'diff') ? KeysFor(bar.diff) : ['']
  bar.why = has_key(bar, 'diff') ? strtrans(plain.OneLine(Why(bar.diff, bar.launch))) : ''
  const shown = Fit(bar, winwidth(win))
  final parts = PARTS->mapnew((_, part) => Part(get(shown, part[0], ''), part[1]))
  return parts->insert('%#StatusLine#%=', -1)->join('')
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
