vim9script
# Follows the user's selection, and reports each change to the host.
#
# A selection is a dictionary: `text` (lines), `filePath`, `fileUrl`, and `selection` with the
# positions `start` and `end` in UTF-16, and `isEmpty`.

import autoload './channel.vim'
import autoload './file/path.vim' as file
import autoload './file/text.vim' as buffer_text
import autoload './privacy.vim'
import autoload './messages/announce.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'
import autoload './timing/debounce.vim'

# Milliseconds.
const PERIOD = 50
const HELD_PERIOD = 150 # while a key is held down
const KINDS = {v: 'v', V: 'V', "\<C-v>": "\<C-v>", s: 'v', S: 'V', "\<C-s>": "\<C-v>"}

# A selection that clears the one that a client knows.
const NOTHING = {filePath: ''}

var beat: dict<func> = {} # the debounce while changes are reported
var latest: dict<any> = {} # the last one in a file; empty before there was one
var seen = '' # the state at the last look

# The last Visual area, with its `whereabouts`, until the user does anything but leave it.
var former: dict<any> = {}
# Cache of `CurrentPath`.
var known: dict<any> = {}

# Where the user was when they left for a terminal. `latest` stays as it is until they act in a
# file.
var held = ''

var is_shared = true # whether the user lets the selection leave Vim

# Whether the current buffer is known to be private. Before the host has started, a selection is only
# kept.
def IsPrivate(): bool
  return privacy.IsKnown() && privacy.OfBuffer(bufnr()) !=# ''
enddef

# The path of the current file, empty if there is none, and whether the selection there stays in
# Vim. They are cached because checking them takes longer than the rest of a look, and they change
# only with certain events.
def CurrentPath(): list<any>
  if get(known, 'bufnr', 0) != bufnr() || known.name !=# bufname()
    const path = file.Path(bufnr())
    known = {
      bufnr: bufnr(),
      name: bufname(),
      path: path,
      is_private: path !=# '' && IsPrivate(),
    }
  endif
  return [&buftype ==# '' ? known.path : '', known.is_private || !is_shared]
enddef

# The path of the current file; empty also if it stays in Vim.
def SharedPath(): string
  const path = is_shared ? file.Path(bufnr()) : ''
  return path !=# '' && !IsPrivate() ? path : ''
enddef

def ForgetPath()
  known = {}
enddef

def Position(point: dict<number>): dict<number>
  return {line: point.row, character: buffer_text.Character(getline(point.row + 1), point.col)}
enddef

def Describe(path: string, area: dict<any>): dict<any>
  const start = Position(area.first)
  const stop = Position(area.last)
  return {
    text: claude_ide#visual#Lines(area),
    filePath: path,
    fileUrl: file.Uri(path),
    selection: {start: start, end: stop, isEmpty: start == stop},
  }
enddef

def DescribeArea(path: string, kind: string, from: list<number>, to: list<number>): dict<any>
  return Describe(path, claude_ide#visual#Area(kind, from, to, getcurpos()[4] == v:maxcol))
enddef

# The area between '< and '>, after Visual mode has ended.
def DescribeFormer(path: string): dict<any>
  return DescribeArea(path, visualmode(), getpos("'<"), getpos("'>"))
enddef

# The kind of the Visual area; empty if there is none.
def Kind(): string
  return get(KINDS, mode(), '')
enddef

def DescribeCurrent(path: string): dict<any>
  const kind = Kind()
  if kind !=# ''
    return DescribeArea(path, kind, getpos('v'), getpos('.'))
  endif
  const at = {row: line('.') - 1, col: col('.') - 1}
  return Describe(path, {lines: [''], first: at, last: at})
enddef

# The selection or the cursor of the current window; null if it does not show a file.
export def Current(): any
  const path = privacy.IsKnown() ? SharedPath() : ''
  return path ==# '' ? v:null : DescribeCurrent(path)
enddef

# Identifies the buffer, its text and the cursor, but not the mode.
def Whereabouts(): string
  return $'{bufnr()} {b:changedtick} {line(".")} {col(".")}'
enddef

# Identifies everything that a selection depends on. It has to be cheap: most looks end here.
def State(path: string, here: string): string
  const state = $'{path} {here} {mode()}'
  return Kind() ==# '' ? state : $'{state} {getpos("v")} {getcurpos()} {&selection}'
enddef

# Returns whether it is another selection.
def Update(selection: dict<any>): bool
  if selection == latest
    return false
  endif
  latest = selection
  if !empty(beat)
    channel.Emit('selection_changed', selection)
  endif
  return true
enddef

# Report the area that the user left for a buffer without a file.
def LookAtFormer(): bool
  const area = former
  former = {}
  if empty(area)
    return false
  endif
  held = area.whereabouts
  seen = ''
  return Update(area.selection)
enddef

# Report the selection to the host if it has changed; return whether it has.
def Look(): bool
  # While a hidden buffer is current for a moment, or the user is in a popup, there is nothing to see. New rules
  # cause another look.
  if mode() ==# 'c' || index(['autocmd', 'popup'], win_gettype()) >= 0 || (!empty(beat) && !privacy.IsKnown())
    return false
  endif
  const [path, is_withheld] = CurrentPath()
  if path ==# ''
    return LookAtFormer()
  elseif is_withheld
    seen = ''
    held = ''
    former = {}
    return !empty(latest) && Update(NOTHING)
  endif
  const here = Whereabouts()
  const now = State(path, here)
  if now ==# seen || (held ==# here && Kind() ==# '')
    return false
  endif
  seen = now
  held = ''
  former = {}
  return Update(DescribeCurrent(path))
enddef

# Stop after an error: Vim would show it at every key.
def LookSafely(): bool
  const outcome = reason.Attempt(Look)
  if !outcome[0]
    Watch(false)
    message.Show($'the selection is no longer sent: {outcome[1]}', 'error')
  endif
  return outcome[0] && outcome[1]
enddef

def Remember(Gather: func(string): dict<any>)
  const path = SharedPath()
  if path !=# ''
    const outcome = reason.Attempt(Gather, [path])
    former = outcome[0] ? {whereabouts: Whereabouts(), selection: outcome[1]} : {}
  endif
enddef

def RememberFormerArea()
  if v:event.old_mode =~# "^[vVsS\<C-v>\<C-s>]" && v:event.new_mode[0] ==# 'n'
    Remember(DescribeFormer)
  endif
enddef

# The selection in the current file, or in the last file that the user was in; null if there was
# none, or if it stays in Vim.
export def Latest(): any
  if empty(beat)
    ForgetPath()
  endif
  Look()
  if !privacy.IsKnown()
    return v:null
  endif
  if empty(latest)
    return Current()
  endif
  return latest == NOTHING ? v:null : latest
enddef

# Keep the current selection as the latest, because a command is about to take the user to a
# terminal. It stays until the user acts in a file again. `lines` has the first and the last line of
# the command's range, if it has one.
export def Hold(lines: list<number> = [])
  const path = SharedPath()
  if path ==# ''
    Look()
    return
  endif
  var selection: dict<any>
  if get(former, 'whereabouts', '') ==# Whereabouts() && Kind() ==# ''
    selection = former.selection
  elseif lines == [line("'<"), line("'>")] && Kind() ==# ''
    selection = DescribeFormer(path)
  else
    selection = DescribeCurrent(path)
  endif
  held = Whereabouts()
  former = {}
  seen = State(path, held)
  Update(selection)
  if !empty(beat)
    beat.Rest()
  endif
enddef

# What was selected may no longer be shared, or may be shared again.
def Recheck()
  ForgetPath()
  seen = ''
  if !empty(latest) && latest != NOTHING && (!is_shared || privacy.OfName(latest.filePath) !=# '')
    held = ''
    former = {}
    Update(NOTHING)
  endif
  Look()
enddef

# Whether the selection may leave Vim.
export def IsShared(): bool
  return is_shared
enddef

# Let the selection leave Vim, or keep it there: run `:ClaudeShare`. Without a word, show the state.
export def Share(word: string)
  if word !=# '' && index(['off', 'on', 'toggle'], word) < 0
    message.Show($'not off, on or toggle: {word}', 'error')
    return
  elseif word !=# ''
    const was_shared = is_shared
    is_shared = word ==# 'on' || (word ==# 'toggle' && !was_shared)
    claude_ide#status#Report('is_shared', is_shared)
    Recheck()
    if is_shared != was_shared
      announce.Event('ClaudeShared', {shared: is_shared})
    endif
  endif
  message.Show($'the selection {is_shared ? "is shared" : "stays in Vim"}', 'info')
enddef

def Start()
  ForgetPath()
  Look()
  beat = debounce.New(PERIOD, LookSafely, HELD_PERIOD)
  augroup claude_ide_selection
    autocmd!
    autocmd BufEnter,BufFilePost,BufReadPost,BufWritePost,DirChanged,FileType * ForgetPath()
    autocmd CursorMoved,CursorMovedI * beat.Overdue()
    autocmd TextChanged,TextChangedP * beat.Soon()
    autocmd BufEnter,BufFilePost,ModeChanged * beat.Soon()
    autocmd ModeChanged * RememberFormerArea()
    # Some ways of leaving a window, such as `win_gotoid()`, do not end Visual mode.
    autocmd BufLeave * if Kind() !=# '' | Remember(DescribeCurrent) | endif
  augroup END
enddef

def Stop()
  beat.Stop()
  beat = {}
  augroup claude_ide_selection
    autocmd!
  augroup END
enddef

# Start or stop reporting changes to the host: the first one immediately, then at most every 50 ms, or
# every 150 ms while a key is held down, and always the last, within 50 ms. `Current` and `Latest` always work.
export def Watch(on: bool)
  if on && empty(beat)
    Start()
  elseif !on && !empty(beat)
    Stop()
  endif
enddef

privacy.Subscribe(Recheck)

defcompile
