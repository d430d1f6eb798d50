vim9script
# Proposed changes: shown beside the file, decided by the user, and answered once.

import autoload './channel.vim'
import autoload './diff/accepted.vim' as accepted_text
import autoload './diff/decision.vim'
import autoload './diff/windows.vim' as diff_windows
import autoload './disk_changes/reload.vim'
import autoload './file/command_buffer.vim'
import autoload './file/path.vim' as file
import autoload './file/rebase.vim'
import autoload './file/text.vim'
import autoload './messages/announce.vim'
import autoload './messages/message.vim'
import autoload './messages/screen.vim'
import autoload './timing/moment.vim'
import autoload './ui/vim_ui.vim'
import autoload './window/location.vim'

# Seconds that a diff must have been on the screen for a command to accept it.
const NOTICED = 0.4
const NO_OFFER = 'only this edit can be accepted here (:help claude-ide-accept-edits)'

final diffs: dict<dict<any>> = {} # by id

def IsWaiting(diff: dict<any>): bool
  return has_key(diffs, diff.id) && diffs[diff.id] is diff
enddef

def AnnounceEvent(diff: dict<any>, event: string, outcome: dict<bool>)
  announce.Event(event, extend({id: diff.id, path: diff.path, bufnr: diff.bufnr}, outcome))
enddef

# Close the windows of a diff; never at once: inside the `:wq` that decides, closing a window would make
# Vim quit another one. `outcome` is empty if the diff was decided elsewhere.
def CloseView(diff: dict<any>, When: func, outcome: dict<bool> = {})
  call(When, [() => {
    if empty(outcome)
      command_buffer.KeepEdits(diff.bufnr, diff.text, diff.path)
    endif
    diff_windows.Close(diff.view)
    moment.Settle()
    if diff.is_ready
      AnnounceEvent(diff, 'ClaudeDiffClosed', outcome)
    endif
  }, (why) => message.Show($'the diff cannot be closed: {why}', 'error')])
enddef

# The bars count the diffs. Not at once: the caller may be inside an autocommand.
def CountChanged()
  final labels: list<string> = []
  for diff in Ordered()
    add(labels, get(diff, 'label', ''))
    # Its number among the waiting ones, and theirs.
    diff.position = [len(labels), len(diffs)]
  endfor
  claude_ide#status#Report('diffs', labels)
  timer_start(0, (_) => {
    if !empty(diffs)
      screen.DrawStatusLines()
    endif
  })
enddef

def Remove(diff: dict<any>)
  remove(diffs, string(diff.id))
  diff.position = [0, 0]
  call(diff.Cancel, [])
  CountChanged()
enddef

def Fail(diff: dict<any>, why: string)
  Remove(diff)
  channel.Emit('diff_failed', {id: diff.id, message: why})
  if !empty(diff.view)
    CloseView(diff, moment.WhenPossible)
  elseif diff.bufnr > 0 && bufexists(diff.bufnr)
    execute 'silent! bwipeout!' diff.bufnr
  endif
enddef

# The text of an accepted diff, in a list, which is held from now on: the user's next keys may leave Vim.
# Empty if it cannot be sent.
def HoldText(diff: dict<any>): list<list<string>>
  const lines = diff.bufnr > 0 ? text.Get(diff.bufnr) : diff.text
  if lines !=# diff.text && !text.IsUtf8(lines)
    message.Show('nothing was accepted: the text is not UTF-8', 'error')
    return []
  endif
  if has_key(diff, 'saved')
    # The agent that proposed the change writes the file next; let its buffer follow.
    reload.Expect(diff.path, diff.saved, true)
  endif
  if lines !=# diff.text && (get(diff, 'is_reported', false) || !has_key(diff, 'original'))
    accepted_text.Hold(diff, lines)
  endif
  return [lines]
enddef

# The first and last lines of the hunks of a diff.
def Hunks(diff: dict<any>): list<list<number>>
  const left = empty(diff.view) ? -1 : winbufnr(diff.view.left)
  const areas = left < 0 ? []
    : rebase.Areas(getbufline(left, 1, '$'), getbufline(diff.bufnr, 1, '$'))
  return areas->mapnew((_, area) => [area[2] + 1, max([area[2] + 1, area[3]])])
enddef

# Pass on a decision; `lines` are the accepted text.
def Answer(diff: dict<any>, accepted: bool, why: string, lines: list<string>)
  final answer: dict<any> = {id: diff.id, accepted: accepted, path: diff.where.path}
  if !accepted && why !=# ''
    extend(answer, {reason: why, hunks: Hunks(diff)})
  endif
  if has_key(diff, 'OnDecided')
    call(diff.OnDecided, accepted ? [lines] : [])
  elseif accepted
    answer.text = lines
  endif
  Remove(diff)
  moment.ForgetTyping()
  channel.Emit('diff_decided', answer)
enddef

# The user may not know that `:e` in the window of a proposal rejects it. `diff` is rejected.
def ReportReplacement(diff: dict<any>, win: number, original: number)
  const bufnr = winbufnr(win)
  const name = fnamemodify(bufname(bufnr), ':t')
  if bufnr > 0 && bufnr != diff.bufnr && bufnr != original && name !=# ''
    const edit = fnamemodify(diff.path, ':t')
    message.Show($'edit of {edit} rejected: {name} is in its window now', 'warn')
  endif
enddef

# One that has not appeared yet can be decided, too, but not accepted if the user has to see a warning.
def Decide(diff: dict<any>, accepted: bool, why = '')
  const view = diff.view
  if !IsWaiting(diff)
    if accepted
      message.Show('this diff is no longer waiting for an answer', 'warn')
    endif
    return
  elseif diff.bufnr > 0 && empty(view)
    return
  elseif accepted && empty(view) && diff.where.warning !=# ''
    message.Show($'{diff.where.path}: see it before you accept it', 'warn')
    return
  endif
  const held = accepted ? HoldText(diff) : []
  if accepted && empty(held)
    return
  elseif empty(view)
    Answer(diff, accepted, why, get(held, 0, []))
    return
  endif
  view.had_user = diff_windows.HasUser(view)
  if !accepted
    const [win, original] = [view.right, view.original]
    timer_start(0, (_) => ReportReplacement(diff, win, original))
  endif
  Answer(diff, accepted, why, get(held, 0, []))
  const When = view.had_user ? moment.WhenEnded : moment.WhenPossible
  CloseView(diff, When, {accepted: accepted})
enddef

def WhenReady(diff: dict<any>)
  if !IsWaiting(diff) || !bufexists(diff.bufnr)
    return
  endif
  setbufvar(diff.bufnr, '&modifiable', true)
  diff.is_ready = true
  channel.Emit('diff_shown', {id: diff.id, is_here: bufwinid(diff.bufnr) > 0})
  AnnounceEvent(diff, 'ClaudeDiffOpened', {})
  if has_key(diff, 'OnReady')
    call(diff.OnReady, [diff])
  endif
enddef

def Show(diff: dict<any>)
  if diff.bufnr == 0
    diff.bufnr = decision.Propose(diff, (accepted) => Decide(diff, accepted))
  endif
  diff.view = location.Visit(get(diff, 'pid', 0), () => diff_windows.Open(diff))
  diff.shown_at = reltime()
  if diff.focus
    moment.Guard(() => WhenReady(diff))
  else
    moment.Settle()
    WhenReady(diff)
  endif
enddef

# Show a proposed change at the next moment that takes nothing from the user.
#
# `request` is {path, where, text, title, layout, …}: `where` the file as the user knows it, {path,
# warning}; `text` the lines of the proposed content; `old_path` the file to compare it with, if it is
# another one; `agent` its name, for the buffer; `original`
# the buffer to change, if the change is for a buffer and not for a file; `is_unsaved` whether the
# text is for the file's buffer as it is, with unsaved changes; `hint` what the user should know
# before deciding; `pid` the process of the client that proposes it; `why` what the agent has said
# before; `is_reported` whether the host itself writes an accepted text, and reports it; `OnReady` a
# function that gets the diff, with its `bufnr`, once the user can work on it. `OnDecided` is called
# with the accepted text, which the host then does not get; without a text if the diff is rejected.
#
# Emits `diff_shown` {id, is_here} once the user can work on it. Then emits either `diff_decided` {id,
# accepted, path, text?, reason?, hunks?} or `diff_failed` {id, message}, unless the diff is closed first.
# Returns {error} if the file cannot be shown; then no event is emitted.
export def Open(id: number, request: dict<any>, OnDecided: any = v:null): dict<string>
  final diff = extend({id: id, bufnr: 0, view: {}, is_ready: false}, request)
  if !has_key(request, 'original')
    for path in [get(request, 'old_path', request.path), request.path]
      const checked = file.Check(path, false, true)
      if has_key(checked, 'refusal')
        return {error: checked.refusal}
      endif
      diff.path = checked.path
    endfor
    if !get(request, 'is_reported', false)
      diff.saved = reload.Saved(diff.path)
    endif
  endif
  if type(OnDecided) == v:t_func
    diff.OnDecided = OnDecided
  endif
  if !has_key(diff, 'where')
    # The host knows nothing of a rewrite of a buffer, for which no file will be written.
    diff.where = {path: fnamemodify(diff.path, ':~:.'), warning: ''}
  endif
  # Users write a number, too.
  diff.focus = index([false, 0], claude_ide#editor#Option('diff', 'focus')) < 0
  diffs[id] = diff
  CountChanged()
  # A diff that leaves the user where they are need not wait until they can be taken elsewhere.
  const what = $'edit of {fnamemodify(diff.path, ":t")}'
  const When = diff.focus ? moment.WhenFreeFor(what) : moment.WhenHarmless
  diff.Cancel = call(When, [() => Show(diff), (why) => Fail(diff, why)])
  return {}
enddef

# Close a diff that was decided elsewhere, or that is no longer needed.
export def Close(id: number): bool
  if !has_key(diffs, id)
    return true
  endif
  final diff = diffs[id]
  Remove(diff)
  moment.ForgetTypingToClaude()
  # The user may have accepted it in the terminal, which does not report it.
  if has_key(diff, 'saved')
    reload.Expect(diff.path, diff.saved)
  endif
  if empty(diff.view)
    return true
  elseif !diff_windows.HasUser(diff.view)
    CloseView(diff, moment.WhenHarmless)
    return true
  endif
  # The user, moved back to where they were, may still be typing for the diff.
  CloseView(diff, (Fn, OnError) => moment.WhenFree(() => {
    call(Fn, [])
    moment.Guard(() => true, true)
  }, OnError))
  return true
enddef

# Close all diffs.
export def CloseAll()
  for id in keys(diffs)
    Close(str2nr(id))
  endfor
enddef

def Ordered(): list<dict<any>>
  return values(diffs)->sort((one, other) => one.id - other.id)
enddef

# Call `Apply` with the current window's diff, else with the only one, else with the user's choice.
def WithChosen(Apply: func)
  const shown = Ordered()->filter((_, diff) => !empty(diff.view))
  const here = InWindow(win_getid())
  if here > 0 || len(shown) == 1
    call(Apply, [here > 0 ? diffs[here] : shown[0]])
    return
  elseif empty(shown)
    message.Show('no diff is open', 'warn')
    return
  endif
  const names = shown->mapnew((_, diff) => $'{diff.where.path} ({diff.title})')
  vim_ui.Select('Which diff?', names, (index) => {
    if index > 0
      call(Apply, [shown[index - 1]])
    endif
  })
enddef

# The diffs that wait for a decision, ordered by id: {id, path, title, shown}; `shown` is whether it
# accepts keys.
export def List(): list<dict<any>>
  return Ordered()->mapnew((_, diff) => ({
    id: diff.id,
    path: diff.path,
    title: diff.title,
    shown: diff.is_ready,
  }))
enddef

# Accept or reject all proposals, also those that wait for a moment to appear.
export def DecideAll(accepted: bool, why = '')
  if empty(diffs)
    message.Show('no diff is waiting', 'warn')
  endif
  for diff in Ordered()
    Decide(diff, accepted, why)
  endfor
enddef

# A diff that takes the user to it discards their keys until then.
def IsNoticed(diff: dict<any>): bool
  return get(diff, 'is_ready', false)
    && (diff.focus || reltimefloat(reltime(diff.shown_at)) >= NOTICED)
enddef

# Offer to accept a proposal together with the edits that follow it.
export def Offer(id: number, what: string)
  if has_key(diffs, id)
    diffs[id].offer = what
    CountChanged()
  endif
enddef

# Accept the diff that the user means and the edits that follow it, if its agent offers that (`Offer`). The
# host then calls `Accept`.
#
# Emits `diff_accept_edits` {id}.
export def AcceptEdits()
  WithChosen((diff) => {
    if !has_key(diff, 'offer')
      message.Show(NO_OFFER, 'warn')
    elseif IsNoticed(diff)
      channel.Emit('diff_accept_edits', {id: diff.id})
    endif
  })
enddef

# Accept a proposal with its current text.
export def Accept(id: number)
  if has_key(diffs, id)
    Decide(diffs[id], true)
  endif
enddef

# Accept or reject the diff that the user means (`WithChosen`). A key that was typed before they could
# notice it accepts nothing.
export def DecideHere(accepted: bool, why = '')
  WithChosen((diff) => {
    if !accepted || IsNoticed(diff)
      Decide(diff, accepted, why)
    endif
  })
enddef

# The id of the diff to which a window belongs; 0 if there is none.
export def InWindow(win: number): number
  for diff in values(diffs)
    if !empty(diff.view) && diff_windows.Has(diff.view, win)
      return diff.id
    endif
  endfor
  return 0
enddef

# The diffs in the current tab page: for how many seconds the first one has been there, and whether the user
# is in one; empty if there is none.
export def Awaiting(): dict<any>
  const ids = gettabinfo(tabpagenr())[0].windows->map((_, win) => InWindow(win))->filter((_, id) => id > 0)
  const since = ids->mapnew((_, id) => reltimefloat(reltime(diffs[id].shown_at)))->sort('f')
  return empty(since) ? {} : {since: since[-1], is_here: InWindow(win_getid()) > 0}
enddef

def OnLeave()
  for diff in values(diffs)
    channel.Emit('diff_decided', {id: diff.id, accepted: false})
  endfor
enddef

augroup claude_ide_diff
  autocmd!
  autocmd VimLeavePre * OnLeave()
augroup END

defcompile
