vim9script
# `:ClaudeEdit`: Claude rewrites lines of a buffer, from the command to the accepted change, and
# refines the rewrite while its diff is open. The host finds the lines again, and merges
# (`headless/rewriting.py`).

import autoload '../diff.vim'
import autoload '../diff/decision.vim' as diff_decision
import autoload '../file/edit.vim'
import autoload '../file/command_buffer.vim'
import autoload '../file/path.vim'
import autoload '../file/rebase.vim'
import autoload '../file/text.vim' as file_text
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../privacy.vim'
import autoload '../ui/vim_ui.vim'

const CHANGED = 'the lines have changed'
const CLOSED = 'the diff is no longer open'
const SEVERAL = 'several rewrites of this buffer are open: go to one of the diffs'

# By the id of the question: its `id`, the `bufnr`, the `name` of the file, for a buffer that keeps the
# new lines; `base`, the lines from which the proposal was made, empty before; the `diff`, empty unless
# the user can work on it; and the id of the question that is `refining` it, or 0.
var rewrites: dict<dict<any>> = {}

# The lines of a text whose lines have ends.
def Split(text: list<string>): list<string>
  return text[-1] ==# '' ? text[: -2] : text
enddef

# Why the text of a buffer cannot be changed; empty if it can.
def WhyUnchangeable(bufnr: number): string
  if !bufloaded(bufnr)
    return 'the buffer is gone'
  endif
  return getbufvar(bufnr, '&modifiable') ? '' : "this buffer is read-only ('nomodifiable')"
enddef

# Called by the host: the lines of a buffer that it wants to change.
export def Look(bufnr: number): dict<any>
  const why = WhyUnchangeable(bufnr)
  return why !=# '' ? {error: why}
    : {tick: getbufvar(bufnr, 'changedtick'), text: getbufline(bufnr, 1, '$') + ['']}
enddef

# Called by the host: keep lines that it could not put into the buffer or the proposal of a rewrite.
export def Keep(id: number, kept: dict<any>, why: string): bool
  if has_key(rewrites, id)
    const [bufnr: number, name: string] = [rewrites[id].bufnr, rewrites[id].name]
    const filetype = bufexists(bufnr) ? getbufvar(bufnr, '&filetype') : ''
    message.Show(command_buffer.Keep(name, kept.text, $'{why}; the rewrite is', filetype), 'error')
  endif
  return true
enddef

# Apply the accepted text of the whole buffer as one undo step. Throws if that is impossible. `:q` or
# `:qa` may come next.
def Apply(rewrite: dict<any>, accepted: list<string>)
  const bufnr: number = rewrite.bufnr
  const why = WhyUnchangeable(bufnr)
  const merged = why ==# ''
    ? rebase.Merge(rewrite.base, Split(accepted), getbufline(bufnr, 1, '$')) : {conflict: true}
  if merged.conflict
    throw $'claude-ide: {why ?? CHANGED}'
  endif
  edit.Change(bufnr, merged.lines)
enddef

# Only for the key in a proposal.
export def Stop(bufnr: number)
  const here = values(rewrites)->filter((_, rewrite) => IsProposal(rewrite, bufnr))
  if empty(here) || !headless.Cancel(here[0].refining)
    message.Show('nothing to stop', 'info')
  endif
enddef

def Ready(rewrite: dict<any>, shown: dict<any>)
  rewrite.diff = shown
  win_execute(bufwinid(shown.bufnr), 'nnoremap <buffer> <C-c> '
    .. '<Cmd>call claude_ide#headless#rewrite#Stop(bufnr())<CR>')
enddef

# The user can no longer work on the diff of a rewrite.
def EndDiff(rewrite: dict<any>)
  rewrite.diff = {}
  headless.Cancel(rewrite.refining)
enddef

# The user has decided; without a text, against the rewrite.
def Decided(rewrite: dict<any>, decision: list<any>)
  EndDiff(rewrite)
  const why = empty(decision) ? '' : reason.Try(Apply, [rewrite, decision[0]])
  if why !=# ''
    Keep(rewrite.id, {text: decision[0]}, why)
  endif
  # Not at once: a message must not interrupt the `:w` that decides.
  timer_start(0, (_) => headless.Finish(rewrite.id, {}))
enddef

# Called by the host: show the new lines as a diff. The question ends with the user's decision. Each
# line of the texts of `proposal` has its end.
#
# Emits the diff's events (`diff.Open`), but never the text. Returns {error} if no diff is shown.
export def Show(id: number, question_id: number, proposal: dict<any>): dict<string>
  if !has_key(rewrites, question_id)
    return {error: headless.CANCELLED}
  endif
  final rewrite = rewrites[question_id]
  rewrite.base = Split(proposal.base.text)
  headless.Unmark(question_id)
  return diff.Open(id, {
    path: rewrite.name,
    text: proposal.text,
    title: proposal.title,
    layout: proposal.layout,
    original: rewrite.bufnr,
    OnReady: (shown) => Ready(rewrite, shown),
  }, (...decision) => Decided(rewrite, decision))
enddef

# Called by the host: give the proposal of a rewrite other lines. Returns the version, or {error}.
export def Revise(id: number, lines: dict<any>): any
  final shown = get(get(rewrites, id, {}), 'diff', {})
  return empty(shown) ? {error: CLOSED} : diff_decision.Revise(shown, Split(lines.text))
enddef

# Ask Claude for other lines of a buffer: for those in `area`, or, if it is empty, for all that it has
# rewritten. `request` has the other fields. Returns the id of the question; 0 if it is not asked.
def AskFor(rewrite: dict<any>, bufnr: number, area: list<number>, request: dict<any>, OnEnd: func): number
  const lines = getbufline(bufnr, 1, '$')
  # The buffer may have got shorter while the user typed the instruction.
  const last = empty(area) ? 0 : min([area[1], len(lines)])
  const first = empty(area) ? 0 : max([0, min([area[0], last - 1])])
  # `json_encode()` replaces bytes that are not UTF-8, and the rewritten lines would lose them.
  if !file_text.IsUtf8(last == 0 ? lines : slice(lines, first, last))
    message.Show('these lines are not UTF-8', 'error')
    return 0
  endif
  return headless.Begin('rewrite', extendnew(request, {
    name: rewrite.name,
    filetype: getbufvar(bufnr, '&filetype'),
    bufnr: bufnr,
    text: lines + [''],
    rows: [first, last],
  }), {
    note: {
      bufnr: bufnr,
      lnum: last == 0 ? 0 : first + 1,
      verb: has_key(request, 'refines') ? 'refining' : 'rewriting',
    },
    OnEnd: OnEnd,
  })
enddef

def Ended(rewrite: dict<any>)
  if has_key(rewrites, rewrite.id)
    rewrites->remove(string(rewrite.id))
  endif
  EndDiff(rewrite)
enddef

def Begin(bufnr: number, area: list<number>, request: dict<any>)
  const name = path.Name(bufnr) ?? '[No Name]'
  final rewrite: dict<any> =
    {id: 0, bufnr: bufnr, name: name, base: [], diff: {}, refining: 0}
  rewrite.id = AskFor(rewrite, bufnr, area, request, (_, _) => Ended(rewrite))
  if rewrite.id > 0
    rewrites[rewrite.id] = rewrite
  endif
enddef

# Have Claude refine a rewrite: the rows `area` of the proposal, or all that Claude has rewritten. The
# result becomes the text of the same diff.
def Refine(rewrite: dict<any>, area: list<number>, asked: dict<any>)
  const version = diff_decision.Version(rewrite.diff)
  const request = extendnew(asked, {refines: rewrite.id, version: version})
  const OnEnd = (_, _) => extend(rewrite, {refining: 0})
  rewrite.refining = AskFor(rewrite, rewrite.diff.bufnr, area, request, OnEnd)
enddef

# Why Claude may not rewrite a buffer, or refine a rewrite; empty if it may.
def Refusal(bufnr: number, rewrite: dict<any>): string
  if empty(rewrite)
    return WhyUnchangeable(bufnr) ?? privacy.Why(bufnr)
  elseif empty(rewrite.diff)
    return CLOSED
  elseif rewrite.refining > 0
    return 'this is being refined already (:ClaudeEdit! stops it)'
  endif
  const why = WhyUnchangeable(rewrite.diff.bufnr)
  return why !=# '' || !bufexists(rewrite.bufnr) ? why : privacy.Why(rewrite.bufnr)
enddef

# Stop everything that Claude is doing. If that is nothing, reject the rewrites that wait for the
# user.
def StopAll()
  const stopped = values(rewrites)->filter((_, rewrite) =>
    headless.Cancel(empty(rewrite.base) ? rewrite.id : rewrite.refining))
  if empty(stopped)
    headless.CancelAll('rewrite', 'nothing to stop')
  else
    message.Show('stopped', 'info')
  endif
enddef

def IsProposal(rewrite: dict<any>, bufnr: number): bool
  return !empty(rewrite.diff) && rewrite.diff.bufnr == bufnr
enddef

# The open rewrites of which a buffer is the proposal or, unless lines of it are named, the file.
def OpenIn(bufnr: number, has_range: bool): list<dict<any>>
  return values(rewrites)->filter((_, rewrite) => IsProposal(rewrite, bufnr)
    || (!empty(rewrite.diff) && rewrite.bufnr == bufnr && !has_range))
enddef

# `here` is where the user was (`contexts.vim`).
def Use(bufnr: number, rewrite: dict<any>, area: list<number>, here: dict<any>, instruction: string)
  # What the user wants, as fields of a request.
  const Asked = () => ({instruction: instruction, facts: claude_ide#contexts#Facts(here, instruction)})
  # The user may have decided while they typed.
  const why = Refusal(bufnr, rewrite)
  if why !=# ''
    message.Show(why, 'error')
  elseif instruction ==# ''
    vim_ui.Input(empty(rewrite) ? 'Edit with Claude: ' : 'Refine: ', '', (_, typed) => {
      if typed =~# '\S'
        Use(bufnr, rewrite, area, here, typed)
      endif
    })
  elseif empty(rewrite)
    Begin(bufnr, area ?? [0, line('$')], Asked())
  else
    Refine(rewrite, area, Asked())
  endif
enddef

# Carry out `:[range]ClaudeEdit[!] [instruction]`.
export def Edit(text: string, lines: list<number>, bang: bool)
  const area = empty(lines) ? [] : [lines[0] - 1, lines[1]]
  const open = OpenIn(bufnr(), !empty(area))
  if bang
    StopAll()
  elseif len(open) > 1
    message.Show(SEVERAL, 'warn')
  else
    const here = claude_ide#contexts#Here(lines)
    Use(bufnr(), get(open, 0, {}), area, here, text =~# '\S' ? text : '')
  endif
enddef

defcompile
