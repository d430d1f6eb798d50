vim9script
scriptencoding utf-8
# The permissions for which CLIs in terminals ask, in a popup that takes no keys until
# `:ClaudeAnswer`. The host owns its content and handles its keys.

import autoload './channel.vim'
import autoload './messages/announce.vim'
import autoload './messages/message.vim'
import autoload './messages/plain.vim'
import autoload './messages/screen.vim'
import autoload './timing/moment.vim'
import autoload './window/float.vim'

const WIDEST = 78
const NARROWEST = 20
const BORDER = 2
const HIGHEST = 0.5 # of the screen, until the user enters it

const ANSWERS = ['y', 'a', 'n', 'N', 'd']
# These allow something, which the user must have seen first.
const ALLOWING = ['y', 'a']
# What is shown only in part: on either key, the host shows the rest.
const CUT = 'request:cut'
# What is shown in full: on `a`, the host asks how, a question that waits until the popup is left.
const WHOLE = 'request'
# Seconds that a permission must have been on the screen: a key typed earlier was not meant for it.
const NOTICED = 0.4
const MORE = 'there is more below: scroll to the end first'
const MORE_ELSEWHERE = 'there is more below: :ClaudeAnswer goes to it'
const INTERRUPTED = -1

# The keys that answer in the dialog of the CLI, which asks at the same time.
const IN_DIALOG = ['<CR>', '<Esc>', '1', '2', '3', '4', '5', '6', '7', '8', '9']

# What is shown: the `permission`, the one that is `drawn` with its `rows`, the `popup` (0 while there is
# none), its `place` and `since` when it is on the screen (empty if it is not), how many rows have been
# `seen`, whether the user `is_inside` or `has_closed` it. Empty while no permission waits.
var shown: dict<any> = {}
var announced = 0

def Report(key: string, why = '')
  const permission = shown.permission
  const fields = {id: permission.id, key: key, kind: permission.kind, reason: why}
  channel.Emit('permission', fields)
enddef

def IsDrawn(): bool
  return shown.popup > 0 && shown.drawn is shown.permission
enddef

# Draw the screen, and record what has been drawn.
def Look()
  if screen.Draw() && IsDrawn()
    if empty(shown.since)
      shown.since = reltime()
    endif
    const first = line('w0', shown.popup)
    if first <= shown.seen + 1
      shown.seen = max([shown.seen, first + shown.place.height - 1])
    endif
  endif
enddef

# What is on the screen is what a key answers: while the user types a command, another permission may
# have taken the place of the one that they read.
def Press(key: string, why = '')
  if !IsDrawn()
    return
  endif
  const kind = shown.permission.kind
  if ALLOWING->index(key) >= 0 && kind !=# CUT && shown.seen < len(shown.rows)
    message.Show(shown.is_inside ? MORE : MORE_ELSEWHERE, 'info')
  elseif !empty(shown.since) && reltimefloat(reltime(shown.since)) >= NOTICED
    if key ==# 'N' || (key ==# 'a' && kind ==# WHOLE)
      Leave()
    endif
    Report(key, why)
    moment.ForgetTyping()
  endif
enddef

def Filter(popup: number, key: string): bool
  if get(shown, 'popup', 0) != popup
    return true
  elseif ANSWERS->index(key) >= 0
    Press(key)
  elseif key ==# 'q' || key ==# "\<Esc>" || key ==# ':'
    Leave()
    return key !=# ':'
  else
    float.Scroll(popup, key)
    Look()
  endif
  return true
enddef

# CTRL-C closes a popup without asking its filter.
def Closed(popup: number, result: number)
  if get(shown, 'popup', 0) == popup && result == INTERRUPTED
    extend(shown, {popup: 0, is_inside: false, has_closed: true})
    moment.Settle()
  endif
enddef

def ClosePopup(state: dict<any>)
  const [popup, was_inside] = [state.popup, state.is_inside]
  extend(state, {popup: 0, is_inside: false})
  if popup > 0
    popup_close(popup)
  endif
  if was_inside
    moment.Settle()
  endif
enddef

# Take the text of the permission. The number of those that wait may have changed only.
def Fill()
  const [old, new] = [shown.drawn, shown.permission]
  const rows = Rows(new.lines->mapnew((_, line) => plain.Harmless(line)))
  if empty(old) || [old.id, old.kind] != [new.id, new.kind] || shown.rows != rows
    extend(shown, {rows: rows, seen: 0, since: []})
  endif
  shown.drawn = new
enddef

# The rows of the popup: lines that fit its widest form, so that it never has to wrap one.
def Rows(lines: list<string>): list<string>
  const width = Width() + 1
  final rows: list<string> = []
  for line in lines
    var row = ''
    for character in substitute(line, '\t', '        ', 'g')->split('\zs')
      if row !=# '' && strdisplaywidth(row .. character) > width
        rows->add(row)
        row = ''
      endif
      row ..= character
    endfor
    rows->add(row)
  endfor
  return rows
enddef

# The popup is in the corner of the user's window that is away from the cursor, because another window may
# show the dialog of the CLI, or from the prompt of a CLI. While the user is in it, it shows all it can. Its
# `row` and `column` count from 1.
def Place(title: string): dict<number>
  const has_tabline = &showtabline == 2 || (&showtabline == 1 && tabpagenr('$') > 1)
  const top = has_tabline ? 1 : 0
  const bottom = &lines - &cmdheight - (&laststatus > 0 ? 1 : 0)
  const most = bottom - top - BORDER
  const widest = shown.rows->mapnew((_, row) => strdisplaywidth(row) + 1)->max()
  const wanted = max([NARROWEST, widest, strdisplaywidth(title)])
  const width = max([1, min([wanted, &columns - BORDER])])
  const half = float2nr(&lines * HIGHEST)
  const height = max([1, min([len(shown.rows), shown.is_inside ? most : min([most, half])])])
  const [first, column] = win_screenpos(0)
  const is_at_top = &buftype ==# 'terminal' || winline() > winheight(0) / 2
  const row = is_at_top ? first - 1 : first - 1 + winheight(0) - BORDER - height
  const right = min([column - 1 + winwidth(0), &columns])
  return {
    row: 1 + max([top, min([row, bottom - BORDER - height])]),
    column: 1 + max([0, right - BORDER - width]),
    width: width,
    height: height,
  }
enddef

# A popup cannot lose its filter, so each change makes another one.
def Draw()
  const old: number = shown.popup
  const title = $' {shown.permission.title} · {shown.is_inside ? 'q goes back' : ':ClaudeAnswer'} '
  if shown.drawn isnot shown.permission
    Fill()
  endif
  if old == 0
    shown.since = []
  endif
  shown.place = Place(title)
  final options = {
    title: title,
    line: shown.place.row,
    col: shown.place.column,
    minwidth: shown.place.width,
    maxwidth: shown.place.width,
    minheight: shown.place.height,
    maxheight: shown.place.height,
    firstline: shown.seen == 0 || old == 0 ? 1 : line('w0', old),
    border: [],
    scrollbar: false,
    wrap: false,
    fixed: true,
    tabpage: -1,
    callback: Closed,
  }
  if shown.is_inside
    extend(options, {filter: Filter, filtermode: 'a', mapping: false})
  endif
  shown.popup = 0
  if old > 0
    popup_close(old)
  endif
  shown.popup = popup_create(shown.rows, options)
  # Otherwise each redraw would undo what the user has scrolled.
  popup_setoptions(shown.popup, {firstline: 0})
enddef

# Whether the user is in the terminal whose CLI asks.
def IsAtDialog(): bool
  const launch = shown.permission.launch
  return launch !=# '' && get(b:, 'claude_ide_launch', '') ==# launch
enddef

def Update()
  if empty(shown)
    return
  elseif !shown.is_inside && (shown.has_closed || IsAtDialog())
    ClosePopup(shown)
  else
    Draw()
  endif
  Look()
enddef

def Fail(reason: string)
  message.Show($'the request cannot be shown: {reason}', 'error')
enddef

def UpdateSoon()
  moment.WhenHarmless(Update, Fail)
enddef

def Leave()
  shown.is_inside = false
  Update()
  moment.Settle()
enddef

# Only for the maps. The CLI does not report an answer in its dialog before the tool has ended, and shows until
# then that it waits for us. So a key that answers there leaves the answer to the dialog.
export def Typed(key: string): string
  if !empty(shown) && IsAtDialog()
    Report('left')
  endif
  return key
enddef

# Vim has no event for a key before 9.1.0563, so there are maps while a permission waits; a map of the user's is
# kept.
def Watch(on: bool)
  augroup claude_ide_permission
    autocmd!
    if on
      autocmd TabEnter,WinEnter,BufEnter * UpdateSoon()
      autocmd VimResized * Report('resized')
    endif
  augroup END
  for key in IN_DIALOG
    const map = maparg(key, 't')
    if on && map ==# ''
      execute $'tnoremap <nowait> <expr> {key} claude_ide#permission#Typed("{escape(key, "<")}")'
    elseif !on && map =~# 'claude_ide#permission#'
      execute $'tunmap {key}'
    endif
  endfor
enddef

# `permission` is empty if none waits.
def AnnounceCount(permission: dict<any>)
  const count = get(permission, 'count', 0)
  if count != announced
    announced = count
    announce.Event('ClaudePermissionWaiting', {count: count}->extend(
      copy(permission)->filter((name, _) => index(['agent', 'tool'], name) >= 0)))
  endif
enddef

# What is on the screen: for how many seconds, and whether the user is in it; empty if nothing is.
export def Awaiting(): dict<any>
  if empty(shown) || shown.popup == 0 || empty(shown.since)
    return {}
  endif
  return {since: reltimefloat(reltime(shown.since)), is_here: shown.is_inside,
    Answer: (accepted, why) => Press(accepted ? 'y' : 'n', why)}
enddef

# Called by the host: the columns for its text.
export def Width(): number
  return max([NARROWEST, min([WIDEST, &columns - BORDER - 2])])
enddef

# Called by the host: show the oldest permission, instead of an earlier one. `permission` has its
# `id`, the `launch` of the terminal whose CLI asks, the `agent`, a `title`, the `labels` that tell all
# that wait from others, the `tool`, the `count` of those that wait, the `kind` of what is shown, and
# the `lines`.
export def Show(permission: dict<any>): bool
  if empty(shown)
    Watch(true)
    shown = {
      popup: 0,
      permission: permission,
      drawn: {},
      rows: [],
      since: [],
      seen: 0,
      is_inside: false,
      has_closed: false,
    }
  endif
  shown.has_closed = shown.has_closed && shown.permission.id == permission.id
  shown.permission = permission
  AnnounceCount(permission)
  UpdateSoon()
  return true
enddef

# Called by the host: no permission waits any more.
export def Close(): bool
  if empty(shown)
    return true
  endif
  const state = shown
  shown = {}
  Watch(false)
  AnnounceCount({})
  moment.WhenHarmless(() => {
    ClosePopup(state)
    screen.Draw()
  }, Fail)
  return true
enddef

# Called by the host: give the popup the keys of the user.
export def Enter(): bool
  moment.WhenPossible(() => {
    if !empty(shown) && !shown.is_inside
      extend(shown, {is_inside: true, has_closed: false})
      Update()
    endif
  }, Fail)
  return true
enddef

defcompile
