vim9script
scriptencoding utf-8
# The bars of a diff: the file, who proposes the change, and the keys. Vim has no window bars, so
# the windows' status lines show them.

import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../window/location.vim'
import autoload '../window/winbar.vim' as window_bar

# Widest first.
const KEYS = [':w accept · :q reject', ':w yes · :q no', ':w · :q']
const WITH_OFFER = ':w accept · %s always · :q reject'
const PARTS = [['title', 'Title'], ['path', 'StatusLine'], ['warning', 'ErrorMsg'], ['hint', 'WarningMsg'],
  ['note', 'WarningMsg'], ['count', 'StatusLine'], ['why', 'StatusLineNC'], ['keys', 'StatusLine']]

# Functions that return the parts of a bar, by window. All but `path`, `warning` and `keys` can be
# missing.
final bars: dict<func(): dict<any>> = {}
# What agents have said before they edit a file. The CLI in a terminal does not say so with its edit:
# its hooks report it for the file, often only after the diff has opened.
final reasons: dict<string> = {} # by launch and path

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
  if !has_key(bars, g:statusline_winid)
    return ''
  endif
  const shown = claude_ide#bars#Fit(call(bars[g:statusline_winid], []), winwidth(g:statusline_winid))
  final parts = PARTS->copy()->filter((_, part) => get(shown, part[0], '') !=# '')
    ->mapnew((_, part) => $'%#{part[1]}#{plain.StatusLine(shown[part[0]])}')
  return parts->insert('%#StatusLine#%=', -1)->join('')
enddef

def NoteOf(view: dict<any>): string
  if view.unsaved > 0
    return 'on disk; unsaved lines stay'
  elseif has_key(view.diff, 'original') && !get(view.diff, 'is_unsaved', false)
    # A change to a buffer replaces nothing on disk.
    return ''
  elseif getbufvar(view.original, '&buftype') !=# ''
    return 'new file'
  endif
  return getbufvar(view.original, '&modified') ? 'unsaved changes' : ''
enddef

# What changes while a diff is open.
def Current(diff: dict<any>, launch: string): dict<any>
  const [place, count] = diff.position
  const why = get(diff, 'why', get(reasons, $'{launch} {diff.path}', ''))
  const key = get(diff, 'accepts_edits_by', '')
  return {
    count: count > 1 ? $'diff {place}/{count}' : '',
    why: strtrans(plain.OneLine(why)),
    keys: has_key(diff, 'offer') && key !=# '' ? [printf(WITH_OFFER, key)] + KEYS : KEYS,
  }
enddef

# Set the bars of a diff's windows.
export def Set(view: dict<any>)
  bars->filter((win, _) => win_id2tabwin(str2nr(win)) != [0, 0])
  const diff = view.diff
  const common = {path: strtrans(plain.Harmless(diff.where.path)), warning: diff.where.warning}
  const left = extend({note: NoteOf(view) ?? 'current', keys: ['']}, common)
  const label = has_key(diff, 'label') ? $'[{diff.label}]' : ''
  const right = extend({
    title: strtrans(plain.OneLine(diff.title)),
    hint: strtrans(plain.OneLine(get(diff, 'hint', label))),
  }, common)
  const launch = location.LaunchOf(get(diff, 'pid', 0))
  bars[view.left] = () => left
  bars[view.right] = () => extendnew(right, Current(diff, launch))
  for win in [view.left, view.right]
    window_bar.Set(win, '%!claude_ide#diff#winbar#Line()')
  endfor
enddef

# Release the status lines of a diff's windows, and the diff, with its text.
export def Release(view: dict<any>)
  for win in [view.left, view.right]
    window_bar.Release(win)
    bars->filter((key, _) => str2nr(key) != win)
  endfor
enddef

defcompile
