vim9script
# The texts that buffers have got from their files: language servers, linters and autocommands are told of them.
# And which sources have published diagnostics since then: the facts by which the host waits for them.

import autoload '../file/disk.vim'
import autoload '../file/path.vim' as file
import autoload '../messages/announce.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'
import autoload '../window/inside.vim'
import autoload './sources.vim'

# Milliseconds for which a text is recent: who reads diagnostics waits for its check.
const RECENT = 1500.0
# It sends a text to the server again when a window shows it.
const CHECKS_SHOWN = 'yegappan_lsp'

# By buffer, the latest two, the newest first: the `number` of a text, when it `began`, whether it `is_new`
# rather than only shown again, and by source the `answers` to it and the `marks` (`sources.vim`) after the
# last one.
var texts: dict<list<dict<any>>> = {}
var last_number = 0
# How often a source has published, and when any has.
var counts: dict<number> = {}
var last_publish = [0, 0]
var Listener: func = null_function
# The buffers that Vim has read since messages and timers were last handled.
final read: dict<bool> = {}
var is_reporting = false

def MsSince(time: list<number>): float
  return reltimefloat(reltime(time)) * 1000
enddef

# How often a source has published.
export def Count(source: string): number
  return get(counts, source, 0)
enddef

# Record whether a source has answered a buffer's text since the last look. Some plugins do not say which
# file an answer is about, so that the number of answers means nothing.
def Note(bufnr: number, source: string)
  final text: dict<any> = texts[bufnr][0]
  final marks: dict<any> = text.marks
  if !has_key(marks, source)
    marks[source] = sources.Ask(source, 'Mark', [bufnr], 0)
  elseif sources.Ask(source, 'HasAnswered', [bufnr, marks[source]], true)
    const ms = MsSince(text.began)
    const first = get(text.answers, source, {first_ms: ms}).first_ms
    text.answers[source] = {first_ms: first, last_ms: ms}
    marks[source] = sources.Ask(source, 'Mark', [bufnr], 0)
  endif
enddef

# A source has published.
export def Published(source: string)
  counts[source] = Count(source) + 1
  last_publish = reltime()
  for key in keys(texts)
    if has_key(texts[key][0].marks, source)
      Note(str2nr(key), source)
    endif
  endfor
  if Listener != null_function
    call(Listener, [])
  endif
enddef

# A source's event. coc.nvim sends its diagnostics later.
def Heard(source: string)
  # The plugin's own work must not fail because of ours.
  reason.Try(() => {
    if source ==# 'coc'
      claude_ide#diagnostics#source#coc#Fetch((_) => Published(source))
    else
      Published(source)
    endif
  })
enddef

# Call a function whenever a source publishes; the lists of Vim count as one. Also report files that Vim itself
# reloads, as `:checktime` does. Without a function, do neither any more.
export def Watch(Fn: func = null_function)
  Listener = Fn
  augroup claude_ide_texts
    autocmd!
    if Fn != null_function
      for [source, event] in items(sources.EVENTS)
        execute $'autocmd User {event} Heard("{source}")'
      endfor
      autocmd BufReadPost * OnRead(expand('<abuf>'))
      autocmd FileChangedShellPost * ++nested OnPost(expand('<abuf>'))
      autocmd QuickFixCmdPost * Heard('lists')
      autocmd BufWinEnter * NoteShown(str2nr(expand('<abuf>')))
    endif
  augroup END
  # Diagnostics from before the start.
  if Fn != null_function && sources.There()->index('coc') >= 0
    Heard('coc')
  endif
enddef

def Begin(bufnr: number, names: list<string>, is_new: bool)
  last_number += 1
  final text = {number: last_number, began: reltime(), is_new: is_new, answers: {}, marks: {}}
  texts[bufnr] = [text] + get(texts, bufnr, [])[: 0]
  for source in names
    Note(bufnr, source)
  endfor
enddef

# A window shows a buffer.
def NoteShown(bufnr: number)
  if sources.OfBuffer(bufnr)->index(CHECKS_SHOWN) >= 0
    Begin(bufnr, [CHECKS_SHOWN], false)
  endif
enddef

# Vim triggers TextChanged only after the next key, and calls the listeners of a buffer only when it draws.
# yegappan/lsp and coc.nvim listen; ALE follows FileChangedShellPost; vim-lsp tells its servers of a write at
# once, but of another change only after 'updatetime'. The commands name groups, so that nothing runs that a
# user has set up to run after a save.
def Notify(bufnr: number)
  listener_flush(bufnr)
  inside.Run(bufnr, 'doautocmd <nomodeline> FileChangedShellPost')
  if exists('#lsp#BufWritePost')
    inside.Run(bufnr, 'doautocmd <nomodeline> lsp BufWritePost')
  endif
enddef

# A buffer has been updated from the disk: have language servers and linters notice, and record their answers.
export def Expect(bufnr: number)
  if !bufloaded(bufnr)
    return
  endif
  Begin(bufnr, sources.OfBuffer(bufnr), true)
  # An error in an autocommand of another plugin is not ours to report.
  reason.Try(Notify, [bufnr])
  moment.Settle()
enddef

def StateOf(bufnr: number): dict<any>
  final names = sources.OfBuffer(bufnr)
  for source in names
    Note(bufnr, source)
  endfor
  return {
    bufnr: bufnr,
    texts: texts[bufnr]->mapnew((_, text) =>
      ({number: text.number, age_ms: MsSince(text.began), answers: text.answers})),
    checkers: names->mapnew((_, source) =>
      ({name: source, published: Count(source), reads_code: true})),
  }
enddef

def All(bufnrs: list<number>): dict<any>
  return {buffers: bufnrs->mapnew((_, bufnr) => StateOf(bufnr)), quiet_ms: MsSince(last_publish)}
enddef

# The state of the checks of these buffers, except for those that are not loaded (`editor/checks.py`). The
# check of one that has got no text from its file begins now.
export def Follow(bufnrs: list<number>): dict<any>
  final loaded = copy(bufnrs)->filter((_, bufnr) => bufloaded(bufnr))
  for bufnr in loaded
    if !has_key(texts, bufnr)
      Expect(bufnr)
    endif
  endfor
  return All(loaded)
enddef

# The state of the checks of all buffers that have recently got a text.
export def Recent(): dict<any>
  filter(texts, (key, _) => bufloaded(str2nr(key)))
  return All(copy(texts)
    ->filter((_, known) => known[0].is_new && MsSince(known[0].began) < RECENT)
    ->keys()->mapnew((_, key) => str2nr(key)))
enddef

# Report that a loaded buffer holds the text that has just been written to its file.
export def Report(bufnr: number)
  is_reporting = true
  disk.MarkReporting(true)
  try
    Expect(bufnr)
  finally
    is_reporting = false
    disk.MarkReporting(false)
  endtry
  Announce(bufnr)
enddef

def Announce(bufnr: number)
  announce.Event('ClaudeFileWritten', {path: file.Name(bufnr), bufnr: bufnr})
enddef

def OnRead(bufnr: string)
  read[bufnr] = true
  timer_start(0, (_) => filter(read, (_, _) => false))
enddef

# This event also occurs if the user has chosen to keep the buffer's text.
def OnPost(bufnr: string)
  if !is_reporting && has_key(read, bufnr)
    Announce(str2nr(bufnr))
  endif
enddef

defcompile
