vim9script
# The moment at which something may appear or disappear without disturbing the user:
#
# | gate             | for something that                 | waits for the end of              |
# | ---------------- | ---------------------------------- | --------------------------------- |
# | `WhenFree`       | takes the user elsewhere           | `Obstacle`, and typing            |
# | `WhenNotifiable` | is a message                       | prompts, and half-typed commands  |
# | `WhenHarmless`   | changes windows the user is not in | a mode whose next key acts there  |
# | `WhenChangeable` | replaces texts of buffers          | typing in one of them             |
# | `WhenEnded`      | closes windows the user may be in  | Insert and Visual mode, by itself |
# | `WhenAsked`      | answers a command of the user      | prompts, and commands; ends modes |
# | `WhenPossible`   | was requested by the user          | nothing else                      |
#
# Vim handles messages and timers at every prompt and in the middle of every command, and lets them
# change windows there. So everything that appears depends on this. Each gate also waits for the end
# of textlock and of the command-line window, and never calls back at once: the caller may be inside
# an autocommand. `Guard` comes afterwards: it discards keys that were typed blindly.

import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

# Milliseconds.
const POLL = 50
const FIRST_POLL = 6 # and twice as long each time: most obstacles are the end of a command
# Seconds.
const QUIET = 0.4 # since the last key
const PROBE = 0.5 # between two probes
const GUARD = 0.2
const LONGEST_GUARD = 1.0
const LONGEST_TYPING = 10.0 # in a terminal whose program writes on its own

var last_typed: list<number> = []
var last_key = ''
var last_active: list<number> = [] # as `last_typed`, but never forgotten
# The line at the cursor of the user's terminal, when it last changed, and since when it has been
# changing without a pause.
var terminal_seen = ''
var last_change: list<number> = []
var changing_since: list<number> = []
var last_probe: list<number> = []
var is_ours = false # whether the next SafeState comes from us, or from an answer
# Those that have not ended: when a key was last discarded (`typed`), and whether each `gives_way`.
final guards: list<dict<any>> = []
var shield = 0 # the popup of all guards
var claudes_area: list<any> = []
final moves: list<dict<any>> = [] # one for each call that waits and may move the user, in their order

def SecondsSince(time: list<number>): float
  return empty(time) ? 1000.0 : reltimefloat(reltime(time))
enddef

# Start or stop recording when the user types. It has to be on before anything waits, or a window
# could appear while the user is typing.
#
# Before 9.1.0563 there is no event for a key. SafeState comes after each command that keys have
# completed; for a terminal see `IsTerminalChanging`.
export def NoticeTyping(on: bool)
  last_typed = []
  augroup claude_ide_moment
    autocmd!
    if on && exists('##KeyInputPre')
      autocmd KeyInputPre * Typed()
    elseif on
      autocmd SafeState * CommandEnded()
    endif
  augroup END
enddef

def Typed()
  if v:event.typed
    last_typed = reltime()
    last_active = last_typed
    last_key = v:char
  endif
enddef

def CommandEnded()
  if !is_ours
    last_typed = reltime()
    last_active = last_typed
  endif
  is_ours = false
enddef

# Called by the host: for how many seconds the user has pressed no key.
export def Idle(): float
  return SecondsSince(last_active)
enddef

# Forget the keys that the user has typed: they were an answer, after which the agent goes on. What it
# does next need not wait for a pause.
export def ForgetTyping()
  last_typed = []
  is_ours = true
  if mode(1) ==# 't'
    last_change = []
    terminal_seen = TerminalLine()
  endif
enddef

# Forget the keys that the user has typed if they may have been an answer in Claude's own terminal.
export def ForgetTypingToClaude()
  if getbufvar('', 'claude_ide_terminal', false)
    ForgetTyping()
  endif
enddef

# The line at the cursor of the user's terminal.
def TerminalLine(): string
  const [row, column; _] = term_getcursor('')
  return string([bufnr(), row, column, term_getline('', row)])
enddef

# Whether the line at the cursor of the user's terminal changes, as it does when they type there. A
# program that writes all the time must not delay everything.
def IsTerminalChanging(): bool
  if mode(1) !=# 't' || exists('##KeyInputPre')
    return false
  endif
  const seen = TerminalLine()
  if seen !=# terminal_seen
    if SecondsSince(last_change) >= QUIET
      changing_since = reltime()
    endif
    last_change = reltime()
    terminal_seen = seen
  endif
  return SecondsSince(last_change) < QUIET && SecondsSince(changing_since) < LONGEST_TYPING
enddef

# Whether the user is in a popup that takes keys: menus and dialogs keep mappings away from their
# filter; a popup with a terminal in it, such as a picker, has the focus.
def IsInDialog(): bool
  if win_gettype() ==# 'popup'
    return true
  endif
  return popup_list()->indexof((_, id) => id != shield
    && get(popup_getpos(id), 'visible', 0) == 1 && get(popup_getoptions(id), 'mapping', 1) == 0) >= 0
enddef

def VisualArea(): list<any>
  return [win_getid(), bufnr(), mode(1), getpos('v'), getpos('.')]
enddef

# Mark the current Visual area as Claude's: it delays nothing until the user changes it.
export def ClaimVisual()
  claudes_area = VisualArea()
enddef

# Whether Vim is in a Visual mode that Claude has started and the user has not changed.
export def IsClaudesVisual(): bool
  return mode(1) =~# "^[vV\<C-v>]$" && claudes_area == VisualArea()
enddef

def FeedIgnore()
  is_ours = true
  feedkeys("\<Ignore>", 'n')
enddef

# `state()` contains "S" while something is half-typed. It also does after a callback of anyone has
# changed something, until the next key; <Ignore> is a key without effect that ends this, and
# changes nothing if something is half-typed.
def IsAtRest(): bool
  if mode(1) ==# 't'
    # Here the state contains "S" as soon as a key was typed. This one begins a command.
    const key = &termwinkey ==# '' ? "\<C-w>" : eval($'"\{&termwinkey}"')
    return state('moax') ==# '' && last_key !=# key
  elseif (index(['n', 'nt'], mode(1)) < 0 && !IsClaudesVisual()) || state('moax') !=# ''
    return false
  elseif state('S') ==# ''
    return true
  endif
  if SecondsSince(last_probe) > PROBE
    last_probe = reltime()
    FeedIgnore()
  endif
  return false
enddef

# Patterns for `mode(1)`, and how the user can end the mode.
const MODES = [
  ['^n\?i', 'leave Insert mode'],
  ['^R', 'leave Replace mode'],
  ["^[vV\<C-v>]", 'leave Visual mode'],
  ["^[sS\<C-s>]", 'leave Select mode'],
  ['^[cr!]', 'answer the prompt'],
  ['', 'finish the command'],
]

# What the user has to do before something can appear, such as "leave Insert mode"; empty if nothing
# but typing delays it.
export def Obstacle(): string
  if getcmdwintype() !=# ''
    return 'close the command-line window'
  elseif IsInDialog()
    return 'leave this window'
  elseif getcmdtype() !=# ''
    # Also CTRL-W : in a terminal window, where the mode stays "t".
    return 'answer the prompt'
  elseif !IsAtRest()
    return MODES[MODES->indexof((_, row) => mode(1) =~# row[0])][1]
  elseif reg_recording() !=# '' || reg_executing() !=# ''
    return 'stop recording'
  endif
  return ''
enddef

# Whether nothing disturbs the user now.
def IsFree(): bool
  return guards->indexof((_, guard) => !guard.gives_way) < 0
    && SecondsSince(last_typed) >= QUIET && !IsTerminalChanging()
    && Obstacle() ==# ''
enddef

# Whether a message can be shown without covering a prompt.
export def CanNotify(): bool
  const mode = mode(1)
  return mode =~# "^[niRvVsSt\<C-v>\<C-s>]" && mode !~# '^no' && IsPossible()
enddef

# Whether the user's next key may depend on the text of a buffer.
export def IsInUse(bufnr: number): bool
  return bufnr == bufnr() && !IsClaudesVisual()
    && (mode(1) !~# '^n\?t\?$' || state('mo') !=# '')
enddef

# Whether Vim allows to change text in other windows.
export def IsTextFree(): bool
  return getcmdwintype() ==# '' && win_gettype() !=# 'popup'
enddef

# Whether the text of a buffer can be replaced now: the user's next key does not depend on it.
export def MayChange(bufnr: number): bool
  return IsTextFree() && !IsInUse(bufnr)
enddef

# Whether Vim allows windows to change at all, as far as it tells beforehand.
def IsPossible(): bool
  return getcmdwintype() ==# '' && getcmdtype() ==# ''
enddef

# False while the mode is still ending.
def EndMode(): bool
  const mode = mode(1)
  if mode =~# '^n\?[iR]'
    stopinsert
    # It ends with the next key.
    FeedIgnore()
    return false
  elseif mode =~# "^[vVsS\<C-v>\<C-s>]"
    execute "normal! \<Esc>"
  endif
  return true
enddef

# Under textlock Vim refuses to change windows, and says so before anything has happened.
export const REFUSAL = 'E565:\|E11:\|E994:\|E523:\|E788:'

# If it `is_move`, `Fn` may move the user: what takes them elsewhere waits for it. `Condition` gets what
# `moves` has.
def When(Condition: func(dict<any>): bool, Fn: func, OnError: func, is_move = false): func
  final waiting = {is_over: false, pause: FIRST_POLL}
  if is_move
    add(moves, waiting)
  endif
  def End()
    waiting.is_over = true
    filter(moves, (_, other) => other isnot waiting)
  enddef
  def Poll(_: number)
    if waiting.is_over
      return
    elseif Condition(waiting)
      try
        # Some errors that `Fn` raises would pass this `:try` if it were called directly.
        call(Fn, [])
        End()
        return
      catch
        if v:exception !~# REFUSAL
          const why = reason.Of(v:exception)
          End()
          call(OnError, [why])
          return
        endif
      endtry
    endif
    timer_start(waiting.pause, Poll)
    waiting.pause = min([2 * waiting.pause, POLL])
  enddef
  timer_start(0, Poll)
  return End
enddef

# The gates. Each calls `Fn` as soon as it is open; `OnError` gets the reason if that raises an error.
# Returns a function that cancels this.

export def WhenFree(Fn: func, OnError: func): func
  # A diff that closes would take the user out of the next one.
  return When((move) => moves[0] is move && IsFree(), Fn, OnError, true)
enddef

# The same for what the user will see, such as "plan" (`waiting.vim`).
export def WhenFreeFor(what: string): func
  return (Fn, OnError) => {
    const number = claude_ide#waiting#Add(what)
    const Cancel = WhenFree(() => {
      # Before it is forgotten: Vim may refuse, and then this is tried again.
      call(Fn, [])
      claude_ide#waiting#Remove(number)
    }, (why) => {
      claude_ide#waiting#Remove(number)
      call(OnError, [why])
    })
    return () => {
      call(Cancel, [])
      claude_ide#waiting#Remove(number)
    }
  }
enddef

export def WhenPossible(Fn: func, OnError: func): func
  return When((_) => IsPossible(), Fn, OnError)
enddef

# In other modes the next key acts on what is shown.
export def WhenHarmless(Fn: func, OnError: func): func
  return When((_) => (mode(1) =~# '^\%(no\)\@![nit]' || IsClaudesVisual()) && IsPossible(), Fn, OnError)
enddef

export def WhenChangeable(Fn: func, OnError: func, bufnrs: list<number>): func
  return When((_) => IsTextFree() && bufnrs->indexof((_, bufnr) => IsInUse(bufnr)) < 0, Fn, OnError)
enddef

export def WhenNotifiable(Fn: func, OnError: func): func
  return When((_) => CanNotify(), Fn, OnError)
enddef

export def WhenEnded(Fn: func, OnError: func): func
  return When((_) => IsPossible() && EndMode(), Fn, OnError, true)
enddef

# Call `Fn`, which runs a command of the user after the host has answered: they may type on until then, and
# nothing opens under a command line or a half-typed command. An error is shown.
export def WhenAsked(Fn: func)
  When((_) => mode(1) !~# '^\%([cr!]\|no\)' && IsPossible() && EndMode(), () => {
    call(Fn, [])
    Settle()
  }, (why) => message.Show(why, 'error'), true)
enddef

# To be called after a callback has changed windows or text. <Ignore> is a key without effect, which
# makes Vim look around: without it the key that Vim waits for would not be mapped if a popup
# without mappings was there when the wait began, the first key in a terminal window would be a
# command of Normal mode, and TextChanged and SafeState would come with the next key only.
export def Settle()
  if index(['n', 'nt', 't'], mode(1)) >= 0
    FeedIgnore()
  endif
enddef

def Discard(popup: number, key: string): bool
  for guard in guards
    guard.typed = reltime()
  endfor
  return true
enddef

def Closed(popup: number, result: number)
  if !empty(guards)
    Discard(popup, '')
    Raise()
  endif
enddef

# The filter of a popup gets each key before anything else does, also in a terminal window. CTRL-C
# closes a popup without asking the filter; `Closed` then makes the next one.
def Raise()
  shield = popup_create('', {
    line: &lines,
    col: &columns,
    zindex: 32000,
    tabpage: -1,
    mapping: 0,
    filtermode: 'a',
    filter: Discard,
    callback: Closed,
  })
enddef

# Discard keys typed blindly into something that has just appeared. Call `Fn` when the user pauses,
# but after a second at the latest: by then they have noticed it. Guards may overlap: keys are discarded
# until the last one ends. If this one `gives_way`, something else may appear meanwhile, with a guard of
# its own.
export def Guard(Fn: func, gives_way = false)
  # The user notices a large diff only once it is drawn.
  redraw
  final began = reltime()
  final guard: dict<any> = {typed: began, gives_way: gives_way}
  def Poll(_: number)
    const remaining = min([
      float2nr((GUARD - SecondsSince(guard.typed)) * 1000),
      float2nr((LONGEST_GUARD - SecondsSince(began)) * 1000),
    ])
    if remaining > 0
      timer_start(remaining + 1, Poll)
      return
    endif
    filter(guards, (_, other) => other isnot guard)
    if empty(guards)
      popup_close(shield)
      Settle()
    endif
    Fn()
  enddef
  add(guards, guard)
  if len(guards) == 1
    Raise()
  endif
  Poll(0)
enddef

defcompile
