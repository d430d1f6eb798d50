vim9script
scriptencoding utf-8
# Types prompts into the terminals in which CLIs run, as a user does: the text, then Enter.
#
# The CLI regards keys that arrive together with a text as a part of it, so Enter waits until the
# prompt box shows the text. Dialogs replace that box: none is answered by a prompt. A dialog that
# opens at that moment swallows the text, and just after a dialog the CLI ignores Enter: both are
# typed again then.

import autoload './clients.vim'
import autoload './device.vim'
import autoload './register.vim'
import autoload '../say/message.vim'
import autoload '../say/yank.vim'

# Milliseconds.
const POLL = 50
# Seconds.
const TAKEN = 5.0 # within which the box shows a text
const AGAIN = 1.5 # after which a text or an Enter that has changed nothing is typed again
const NOTICE = 3.0 # after which a message says what a prompt waits for

const TRIES = 3
const LOWEST = 60 # rows of the terminal in which the box may be
const CARET = '❯'
# After a resize, the CLI may have drawn the line below over a rule, which is then interrupted.
const RULE = '^──.*────'
# Above the box.
const ABOUT_TO_ASK = '^\s*Waiting for permission'
const IN_BOX = "your words are in Claude's prompt: press Enter there to send them"
# The CLI folds a long text.
const FOLDED = '^\[Pastedtext#\d\+[^\]]*\]$'

# By device, prompts: their `text`; times (`reltime()`, empty: not yet) at which they became the
# first (`since`), were `pasted` and `entered`; how often (`pastes`, `presses`); the content of the
# box `before`; whether a message has said that they wait (`is_mentioned`).
var queues: dict<list<dict<any>>> = {}

def SecondsSince(time: list<any>): float
  return reltimefloat(reltime(time))
enddef

# Blanks differ: the CLI breaks lines, and pads them.
def WithoutBlanks(text: string): string
  return substitute(text, '\%(\s\|\n\|\%ua0\)\+', '', 'g')
enddef

# The lowest rows of the screen, without empty ones below.
def Lowest(screen: list<string>): list<string>
  var rows = copy(screen)
  while !empty(rows) && rows[-1] ==# ''
    rows->remove(-1)
  endwhile
  return rows[-LOWEST :]
enddef

# The content of the prompt box, between the last two rules, in a list; an empty list if there is
# none, or if a dialog is about to replace it. A dialog has a caret below a rule, too, but in front
# of a numbered answer or further below.
def BoxOf(rows: list<string>): list<string>
  const rules = range(len(rows))->filter((_, row) => rows[row] =~# RULE)
  if len(rules) < 2
    return []
  endif
  const [upper, lower] = rules[-2 :]
  if stridx(rows[upper + 1], CARET) != 0 || (upper > 0 && rows[upper - 1] =~# ABOUT_TO_ASK)
      || rows[lower + 1 :]->indexof((_, row) => row =~# '^\s*' .. CARET) >= 0
    return []
  endif
  const content = rows[upper + 1 : lower - 1]->join('')->strpart(len(CARET))
  return [WithoutBlanks(content)->substitute('^\[⧉[^\]]*\]', '', '')]
enddef

def HasTaken(content: string, text: string): bool
  return content ==# WithoutBlanks(text) || content =~# FOLDED
enddef

# Only the text: a sequence of control characters could end the paste, and would then be keys. A `!`
# at its beginning would be a key, too: it makes a command for the shell of the text.
def Harmless(text: string): string
  const plain = text->substitute("\r\n\\?", "\n", 'g')
    ->substitute('[\x01-\x08\x0b-\x1f\x7f\u80-\u9f]', '', 'g')
    ->substitute('\_s\+$', '', '')
    ->substitute('^!', ' !', '')
  # After `@file` or `@"a file"`, Enter would choose from a menu, whose text may be another one.
  return plain =~# '@\%(\S*\|"[^"\n]*"\?\)$' ? plain .. ' ' : plain
enddef

# Keep words that cannot be typed, which the user would otherwise have to write again.
def Yank(prompts: list<dict<any>>): string
  yank.Text(prompts->mapnew((_, prompt) => prompt.text)->join("\n\n"))
  return '; your words are yanked, so that you can paste them'
enddef

def Lose(prompts: list<dict<any>>, why: string)
  message.Show($'{why}, and has not got your words{Yank(prompts)}', 'warn')
enddef

def Mention(prompt: dict<any>)
  if !prompt.is_mentioned && SecondsSince(prompt.since) >= NOTICE
    prompt.is_mentioned = true
    message.Show('Claude gets your words once its terminal shows the prompt again', 'info')
  endif
enddef

# Paste the text into the box, which has this content; return whether that is given up.
def Paste(target: dict<any>, prompt: dict<any>, content: string): bool
  prompt.pastes += 1
  if prompt.pastes > TRIES
    Lose([prompt], 'Claude takes no text now')
    return true
  endif
  prompt.pasted = reltime()
  prompt.before = content
  device.Paste(target, prompt.text)
  return false
enddef

# Press Enter; return whether that is given up.
def Enter(target: dict<any>, prompt: dict<any>): bool
  prompt.presses += 1
  if prompt.presses > TRIES
    message.Show(IN_BOX, 'warn')
    return true
  endif
  # What follows would be regarded as pasted with it, so the prompt has to leave the box first.
  prompt.entered = reltime()
  device.Enter(target)
  return false
enddef

# Type as much as is possible now; return whether the prompt is finished.
def Advance(target: dict<any>, prompt: dict<any>, screen: list<string>): bool
  const box = BoxOf(Lowest(screen))
  const content = get(box, 0, '')
  if !empty(box) && HasTaken(content, prompt.text)
    const is_due = empty(prompt.entered) || SecondsSince(prompt.entered) >= AGAIN
    return is_due && Enter(target, prompt)
  elseif !empty(prompt.entered)
    return true
  elseif empty(box)
    # What a dialog does with a text is seen when the box is there again.
    prompt.pasted = empty(prompt.pasted) ? [] : reltime()
    Mention(prompt)
    return false
  elseif empty(prompt.pasted)
      || (content ==# prompt.before && SecondsSince(prompt.pasted) >= AGAIN)
    return Paste(target, prompt, content)
  elseif SecondsSince(prompt.pasted) < TAKEN
    return false
  endif
  # Perhaps the user had begun a prompt: what happens to it is for them to decide.
  message.Show(IN_BOX, 'warn')
  return true
enddef

def Poll(target: dict<any>)
  device.Read(target, (screens) => Continue(target, screens))
enddef

# `screens` has the rows of the screen; it is empty once the CLI has ended.
def Continue(target: dict<any>, screens: list<list<string>>)
  const id = device.Id(target)
  final queue = queues[id]
  if empty(screens)
    queues->remove(id)
    Lose(queue, 'Claude has ended')
    return
  endif
  if Advance(target, queue[0], screens[0])
    queue->remove(0)
    if empty(queue)
      queues->remove(id)
      return
    endif
    queue[0].since = reltime()
  endif
  timer_start(POLL, (_) => Poll(target))
enddef

# Called by the host: type a prompt into the terminal in which a client runs, once its prompt box is
# there; after those that wait for it already. The text is left in the box if the user has begun
# another one. `pid` is the client's, 0: the CLI of `:Claude`. Returns `error` if no terminal of
# this Vim, or pane of `:Claude`, is found.
export def Send(pid: number, text: string): any
  const terminal = pid > 0 ? clients.Terminal(pid) : register.Current()
  const target = empty(terminal) ? {bufnr: clients.Buffer(pid), pane: {}} : terminal
  final prompt = {text: Harmless(text), since: reltime(), pasted: [], entered: [], pastes: 0,
    presses: 0, before: '', is_mentioned: false}
  if empty(terminal) && target.bufnr == 0
    const reason = pid == 0 ? 'no terminal of this Vim runs Claude (:Claude opens one)'
      : 'Claude is not in a terminal of this Vim'
    return {error: reason .. Yank([prompt])}
  endif
  const id = device.Id(target)
  if has_key(queues, id)
    queues[id]->add(prompt)
  else
    queues[id] = [prompt]
    Poll(target)
  endif
  return true
enddef

defcompile
