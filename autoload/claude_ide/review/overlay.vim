vim9script
scriptencoding utf-8
# Draws what waits for review in the files themselves: written lines and words are tinted, removed lines are
# virtual ones above them where Vim has these, and each hunk has a sign. The host knows the hunks; here they
# follow the text until it has looked at it again. Nothing runs for a file without hunks.

import autoload '../channel.vim'
import autoload '../file/disk.vim'
import autoload '../file/path.vim' as file
import autoload '../file/text.vim' as buffer_text
import autoload '../messages/announce.vim'
import autoload '../messages/plain.vim'
import autoload '../timing/debounce.vim'
import autoload '../window/inside.vim'

const INTERVAL = 100 # milliseconds
const MOST_REMOVED = 20 # lines of one hunk that are shown unasked
const GROUP = 'claude_ide_review'
const HAS_LINES = has('patch-9.0.0438') # text above a line
const BOTH = ['n', 'x']
const MODES = {keep: BOTH, revert: BOTH, next: BOTH, previous: BOTH, show: ['n']}
const NOTHING = '{"files":[],"remarks":[],"unknown":[]}'

# {hunks, unfolded} by buffer; hunks by the ids of properties, which move with the text and come back with an undo
final drawn: dict<dict<any>> = {}
var last_id = 0
var waiting: dict<number> = {} # hunks by real path
var remarked: dict<bool> = {} # by real path
var remarks = 0 # that are not sent
var value = NOTHING
var is_defined = false

def Define()
  if is_defined
    return
  endif
  is_defined = true
  highlight default link ClaudeIdeAdded DiffAdd
  highlight default link ClaudeIdeRemoved DiffDelete
  highlight default link ClaudeIdeChanged DiffText
  highlight default link ClaudeIdeReview Identifier
  highlight default link ClaudeIdeComment Todo
  highlight default link ClaudeIdeCommentSent Comment
  sign_define('ClaudeIdeReview', {text: '▎', texthl: 'ClaudeIdeReview'})
  sign_define('ClaudeIdeReviewRemoved', {text: '▔', texthl: 'ClaudeIdeReview'})
  sign_define('ClaudeIdeRemark', {text: '»', texthl: 'ClaudeIdeComment'})
  for [name, group, priority] in [['added', 'Added', 0], ['changed', 'Changed', 1], ['removed', 'Removed', 0],
      ['remark', 'Comment', 0], ['sent', 'CommentSent', 0]]
    prop_type_add('claude_ide_' .. name,
      {highlight: 'ClaudeIde' .. group, priority: priority, combine: true})
  endfor
  prop_type_add('claude_ide_hunk', {})
enddef

# The path that the host has for a buffer's file; empty if it holds none.
def PathOf(bufnr: number): string
  const name = bufloaded(bufnr) ? file.Path(bufnr) : ''
  return empty(name) ? '' : file.Resolved(name)
enddef

# A loaded buffer as the host has to know it (`ShownBuffer` in `editor/port/review.py`).
export def Buffer(bufnr: number): any
  const path = PathOf(bufnr)
  if empty(path)
    return v:null
  endif
  final found: dict<any> = {
    bufnr: bufnr,
    path: path,
    tick: getbufvar(bufnr, 'changedtick'),
    text: buffer_text.Get(bufnr, true),
    encoding: getbufvar(bufnr, '&fileencoding') ?? 'utf-8',
    is_writable: getbufvar(bufnr, '&modifiable') && !getbufvar(bufnr, '&readonly'),
    is_modified: getbufvar(bufnr, '&modified') ? true : false,
  }
  const [first, last] = [getpos("'<"), getpos("'>")]
  if bufnr == bufnr() && first[1] > 0
    found.selected = [first[1] - 1, last[1]]
  endif
  return found
enddef

# The loaded buffers of files, each with its path.
export def Find(paths: list<string>): list<list<any>>
  return file.Loaded()->mapnew((_, bufnr) => [bufnr, PathOf(bufnr)])
    ->filter((_, found) => index(paths, found[1]) >= 0)
enddef

# Drawing

# Vim draws a tab in virtual text as one blank.
def WithoutTabs(text: string, width: number): string
  return text->split('\t', true)->reduce((done, each) =>
    done .. repeat(' ', width - strdisplaywidth(done) % width) .. each)
enddef

def DrawRemoved(bufnr: number, hunk: dict<any>, line: number, is_unfolded: bool, is_below: bool)
  const count = len(hunk.removed) + hunk.more
  var lines: list<string> = hunk.removed
    ->mapnew((_, each) => plain.Harmless(each)->WithoutTabs(getbufvar(bufnr, '&tabstop')))
  if count > MOST_REMOVED && !is_unfolded
    lines = [$'▸ {count} removed lines']
  elseif hunk.more > 0
    lines += [$'… {hunk.more} more lines']
  endif
  for text in lines
    prop_add(line, 0, {
      bufnr: bufnr,
      type: 'claude_ide_removed',
      text: text->empty() ? ' ' : text,
      text_align: is_below ? 'below' : 'above',
      text_wrap: 'truncate',
    })
  endfor
enddef

def Count(bufnr: number): number
  return file.Info(bufnr).lines
enddef

def KeyOf(hunk: dict<any>): string
  return join(hunk.removed, "\n")
enddef

# Whether all hunks are to be seen.
def IsShown(): bool
  return index([null, true, 1], claude_ide#editor#Option('review', 'overlay')) >= 0
enddef

# Draw hunks with as few calls as possible: each takes time.
def DrawHunks(bufnr: number, hunks: list<any>, unfolded: dict<bool>)
  const count = Count(bufnr)
  for hunk in hunks
    last_id += 1
    prop_add(min([hunk.row + 1, count]), 1, {bufnr: bufnr, type: 'claude_ide_hunk', id: last_id})
    drawn[bufnr].hunks[last_id] = hunk
  endfor
  final places = {added: [], changed: []}
  final signs: list<dict<any>> = []
  for hunk in IsShown() ? hunks : hunks->copy()->filter((_, each) => has_key(unfolded, KeyOf(each)))
    const line = min([hunk.row + 1, count])
    const last = min([hunk.row + hunk.count, count])
    if !empty(hunk.removed) && HAS_LINES
      const is_unfolded = !empty(unfolded) && has_key(unfolded, KeyOf(hunk))
      DrawRemoved(bufnr, hunk, line, is_unfolded, hunk.row >= count)
    endif
    if hunk.count > 0
      places.added->add([line, 1, last, strlen(getbufline(bufnr, last)[0]) + 1])
    endif
    for [at, spans] in hunk.new_spans
      const row = hunk.row + 1 + at
      places.changed->extend(spans->mapnew((_, span) => [row, span[0] + 1, row, span[1] + 1]))
    endfor
    const sign = hunk.count > 0 ? 'ClaudeIdeReview' : 'ClaudeIdeReviewRemoved'
    for row in range(line, max([line, last]))
      signs->add({buffer: bufnr, group: GROUP, name: sign, lnum: row, priority: 8})
    endfor
  endfor
  for [type, items] in items(places)
    prop_add_list({bufnr: bufnr, type: 'claude_ide_' .. type}, items)
  endfor
  sign_placelist(signs)
enddef

def DrawRemark(bufnr: number, remark: dict<any>)
  const is_open = remark.state ==# 'open'
  const note = is_open ? '» ' : $'» ({remark.state}) '
  const line = min([remark.first + 1, Count(bufnr)])
  if HAS_LINES
    prop_add(line, 0, {
      bufnr: bufnr,
      type: is_open ? 'claude_ide_remark' : 'claude_ide_sent',
      text: ' ' .. note .. plain.OneLine(remark.words),
      text_align: 'after',
    })
  endif
  sign_place(0, GROUP, 'ClaudeIdeRemark', bufnr, {lnum: line, priority: 9})
enddef

# Map the user's keys in the current buffer, as long as something waits in it. Those that the buffer has are
# spared. A variable of the buffer names ours: it is gone together with them. Only for this module.
export def DefineKeys()
  b:claude_ide_review_keys = []
  const given = claude_ide#editor#Option('review', 'keys')
  for [name, modes] in type(given) == v:t_dict ? items(MODES) : []
    const key = get(given, name, '')
    for mode in type(key) == v:t_string && key !=# '' ? modes : []
      if !maparg(key, mode, false, true)->get('buffer', 0)
        execute $'{mode}map <buffer> {key->substitute("|", "<Bar>", "g")} <Plug>(claude-hunk-{name})'
        b:claude_ide_review_keys->add([mode, key])
      endif
    endfor
  endfor
enddef

# Only for this module.
export def RemoveKeys()
  for [mode, key] in b:claude_ide_review_keys
    execute $'silent! {mode}unmap <buffer> {key->substitute("|", "<Bar>", "g")}'
  endfor
  unlet b:claude_ide_review_keys
enddef

def Clear(bufnr: number)
  sign_unplace(GROUP, {buffer: bufnr})
  for name in ['hunk', 'added', 'changed', 'removed', 'remark', 'sent']
    prop_remove({type: 'claude_ide_' .. name, bufnr: bufnr, all: true})
  endfor
enddef

def EmitShown(bufnr: number)
  const path = PathOf(bufnr)
  if !empty(path)
    channel.Emit('review_shown', {bufnr: bufnr, path: path})
  endif
enddef

# What the user types is looked at once they pause; a large text only when they are done.
def Attach(bufnr: number)
  const debounced = debounce.New(INTERVAL, () => {
    if has_key(drawn, bufnr) && bufloaded(bufnr)
      EmitShown(bufnr)
    endif
  })
  listener_add((_, _, _, _, _) => {
    debounced.Soon()
  }, bufnr)
enddef

# Draw the hunks and the remarks of a buffer; return false if it has another text by now.
export def Draw(bufnr: number, tick: number, hunks: list<any>, here: list<any>): bool
  if !bufloaded(bufnr)
    return true
  elseif getbufvar(bufnr, 'changedtick') != tick
    return false
  endif
  const is_empty = empty(hunks) && empty(here)
  # A buffer that does not have the text of a file that waits will get it.
  if is_empty && !has_key(drawn, bufnr) && empty(Known(bufnr))
    return true
  endif
  Define()
  if !has_key(drawn, bufnr)
    drawn[bufnr] = {hunks: {}, unfolded: {}}
    # From now on: an undo may bring hunks back.
    Attach(bufnr)
  endif
  Clear(bufnr)
  drawn[bufnr].hunks = {}
  DrawHunks(bufnr, hunks, drawn[bufnr].unfolded)
  for remark in here
    DrawRemark(bufnr, remark)
  endfor
  const has_keys: bool = has_key(getbufvar(bufnr, ''), 'claude_ide_review_keys')
  if is_empty == has_keys
    inside.Run(bufnr, $'call claude_ide#review#overlay#{is_empty ? "RemoveKeys" : "DefineKeys"}()')
  endif
  return true
enddef

# The path of a buffer with hunks or remarks; empty for another one.
def Known(bufnr: number): string
  const path = empty(waiting) && empty(remarked) ? '' : PathOf(bufnr)
  return has_key(waiting, path) || has_key(remarked, path) ? path : ''
enddef

# Only for autocommands.
export def Look(bufnr: number)
  if has_key(drawn, bufnr) || !empty(Known(bufnr))
    EmitShown(bufnr)
  endif
enddef

# Only for autocommands.
export def Wrote(bufnr: number)
  const path = has_key(drawn, bufnr) ? PathOf(bufnr) : Known(bufnr)
  if !empty(path)
    channel.Emit('review_written', {path: path})
  endif
enddef

# Know the files that wait, those with remarks, how many remarks are not sent, and all of it as JSON.
export def Waiting(files: dict<number>, paths: list<string>, count: number, json: string): bool
  const is_same = files == waiting && count == remarks
  [waiting, remarks, value] = [files, count, json]
  remarked = {}
  for path in paths
    remarked[path] = true
  endfor
  augroup claude_ide_review
    autocmd!
    autocmd BufWinEnter,FileChangedShellPost,BufFilePost,BufUnload * claude_ide#review#overlay#Look(str2nr(expand('<abuf>')))
    autocmd BufWritePost * claude_ide#review#overlay#Wrote(str2nr(expand('<abuf>')))
  augroup END
  if !is_same
    announce.Event('ClaudeReviewChanged', Counts())
  endif
  return true
enddef

# What waits (`:help claude-ide.review()`).
export def Value(): dict<any>
  return json_decode(value)
enddef

# How much waits.
export def Counts(): dict<number>
  return {files: len(waiting), hunks: reduce(values(waiting), (sum, each) => sum + each, 0), remarks: remarks}
enddef

# Write a buffer as it is: no autocommand changes its text, and no line end is added. Return why that failed.
export def Save(bufnr: number): string
  const [ignored, fixes] = [&eventignore, getbufvar(bufnr, '&fixendofline')]
  setbufvar(bufnr, '&fixendofline', false)
  &eventignore = (empty(ignored) ? '' : ignored .. ',') .. 'BufWritePre,FileWritePre,BufWrite'
  var refusal = ''
  try
    refusal = disk.Write(bufnr)
  finally
    &eventignore = ignored
    setbufvar(bufnr, '&fixendofline', fixes)
  endtry
  return refusal
enddef

# Moving

# Where hunks are in the current buffer, as the text is now: properties with `lnum` and `id`.
def Places(): list<dict<any>>
  return has_key(drawn, bufnr()) ? prop_list(1, {types: ['claude_ide_hunk'], end_lnum: -1}) : []
enddef

# Go to the next or previous hunk; return false if there is none.
export def Go(direction: number, count: number): bool
  const lines = Places()->mapnew((_, place) => place.lnum)->uniq()
    ->filter((_, each) => (each - line('.')) * direction > 0)
  const at = direction == 1 ? count - 1 : len(lines) - count
  if at < 0 || at >= len(lines)
    return false
  endif
  execute "normal! m'"
  cursor(lines[at], 1)
  normal! zv
  return true
enddef

# Show all removed lines of the hunk at the cursor, or fold them again; return false if there is none.
export def Unfold(): bool
  const hunks: dict<any> = get(drawn, bufnr(), {hunks: {}}).hunks
  const here = Places()->filter((_, place) => has_key(hunks, place.id) && place.lnum <= line('.')
    && line('.') < place.lnum + max([hunks[place.id].count, 1]))
  if empty(here)
    return false
  endif
  const hunk = hunks[here[0].id]
  if !HAS_LINES
    popup_atcursor(empty(hunk.removed) ? [''] : hunk.removed, {highlight: 'ClaudeIdeRemoved'})
    return true
  endif
  final unfolded: dict<bool> = drawn[bufnr()].unfolded
  const key = KeyOf(hunk)
  if has_key(unfolded, key)
    remove(unfolded, key)
  else
    unfolded[key] = true
  endif
  EmitShown(bufnr())
  return true
enddef

defcompile
