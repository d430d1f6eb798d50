vim9script
# Formats buffers with the user's own formatters, without blocking Vim. The host chooses among them and decides
# what becomes of the new text (`editor/formatting.py`).

import autoload './channel.vim'
import autoload './disk_changes/reload.vim'
import autoload './file/edit.vim'
import autoload './window/inside.vim'
import autoload './file/load.vim'
import autoload './file/rebase.vim'
import autoload './file/disk.vim'
import autoload './format/ale.vim'
import autoload './format/checkpoint.vim'
import autoload './format/coc.vim'
import autoload './format/expression.vim'
import autoload './format/filter.vim'
import autoload './format/vim_lsp.vim'
import autoload './format/yegappan_lsp.vim'
import autoload './messages/reason.vim'

# By number: the `bufnr`, the checkpoint at the `start`, the expected `lines` (other ones mean that the buffer
# was changed), the `result` of the last formatter, and whether one was applied (`is_changed`).
var runs: dict<dict<any>> = {}
# By token: what ends the formatter that runs.
var running: dict<func> = {}

def LinesOf(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

# Where the option was set for the buffer, as Vim shows it.
def Origin(bufnr: number, name: string): string
  return inside.Run(bufnr, $'silent verbose setlocal {name}?')->split("\n")->get(1, '')
enddef

# Whether the user has set an option for this buffer: no filetype plugin of Vim, and no modeline.
def IsOwn(bufnr: number, name: string): bool
  const origin = Origin(bufnr, name)
  return getbufvar(bufnr, '&' .. name) !=# ''
    && stridx(origin, fnamemodify($VIMRUNTIME, ':~')) < 0 && origin !~# '\<modeline\>'
enddef

# What formats with each kind of formatter.
def Formats(formatter: dict<any>): func
  return {
    ale: ale.Format,
    expression: expression.Format,
    program: filter.Format,
    vim_lsp: vim_lsp.Format,
    yegappan_lsp: yegappan_lsp.Format,
    coc: coc.Format,
  }[get(formatter, 'id', formatter.kind)]
enddef

# What can format a buffer now, in the order in which `gq` looks (`candidates`), whether a server is starting,
# and whether others may attach; nothing if it is not loaded.
export def Formatters(bufnr: number): any
  if !bufloaded(bufnr)
    return v:null
  endif
  final found: list<dict<any>> = ale.Fixes(bufnr) ? [{kind: 'ale', name: 'ALE', is_own: true}] : []
  # Most expressions of Vim itself fill paragraphs.
  if IsOwn(bufnr, 'formatexpr') && expression.IsUsable(bufnr)
    found->add({kind: 'expression', name: "'formatexpr'", is_own: true})
  endif
  const has_vim_lsp = vim_lsp.IsThere()
  const has_yegappan = yegappan_lsp.IsThere()
  const asked = coc.IsThere(bufnr) ? coc.Ask(bufnr) : {}
  for server in has_vim_lsp ? vim_lsp.Servers(bufnr) : []
    found->add({kind: 'server', name: server, id: 'vim_lsp'})
  endfor
  const server = has_yegappan ? yegappan_lsp.Server(bufnr) : ''
  if server !=# ''
    found->add({kind: 'server', name: server, id: 'yegappan_lsp'})
  endif
  if get(asked, 'formats', false)
    found->add({kind: 'server', name: 'coc.nvim', id: 'coc'})
  endif
  for option in ['formatprg', 'equalprg']
    const program = filter.Program(bufnr, option)
    if program !=# ''
      const is_own = option ==# 'formatprg' && IsOwn(bufnr, option)
      found->add({kind: 'program', name: program, is_own: is_own})
    endif
  endfor
  return {
    candidates: found,
    is_starting: get(asked, 'is_asking', false) || (has_vim_lsp && vim_lsp.IsStarting(bufnr))
      || (has_yegappan && yegappan_lsp.IsStarting(bufnr)),
    may_attach: has_vim_lsp || has_yegappan || !empty(asked),
  }
enddef

# Load a file unseen. `is_new`: it was not loaded.
export def Open(path: string): dict<any>
  const added = load.Add(path)
  if has_key(added, 'refusal')
    return {error: added.refusal =~# ': no such file$' ? 'File not found' : added.refusal}
  endif
  const bufnr: number = added.bufnr
  const is_new = !bufloaded(bufnr)
  const loaded = load.Hidden(bufnr)
  const error: string = !bufloaded(bufnr) ? loaded.error
    : getbufvar(bufnr, '&readonly') || !getbufvar(bufnr, '&modifiable')
    ? trim($'{path} is read-only. {loaded.note}') : ''
  if error !=# ''
    Close(is_new ? bufnr : -1)
    return {error: error}
  endif
  return {path: path, bufnr: bufnr, is_new: is_new}
enddef

# Unload a file that was loaded only for this, unless the user has opened or changed it.
export def Close(bufnr: number, _ = false): bool
  if bufloaded(bufnr) && !getbufvar(bufnr, '&modified') && empty(win_findbuf(bufnr))
    execute $'silent! bunload {bufnr}'
  endif
  return true
enddef

# Begin a run of formatters, unless unsaved changes are to an older text.
export def Begin(run: number, bufnr: number): bool
  reload.SyncOne(bufnr)
  if getbufvar(bufnr, '&modified') && disk.HasChanged(bufnr)
    return false
  endif
  const start = checkpoint.New(bufnr)
  runs[run] = {bufnr: bufnr, start: start, lines: start.lines, result: [], is_changed: false}
  return true
enddef

# Have a formatter compute a text. Then emit `answered` with the `token` and what became of it.
export def Start(token: number, run: number, formatter: dict<any>): bool
  final one: dict<any> = runs[run]
  final state = {is_over: false}
  def Done(outcome: dict<any>, lines: list<string>)
    if !state.is_over && get(runs, run, {}) is one
      one.result = lines
      channel.Emit('answered', extend({token: token}, outcome))
    endif
    state.is_over = true
    if has_key(running, token)
      remove(running, token)
    endif
  enddef
  const started = reason.Attempt(Formats(formatter), [one.bufnr, formatter, Done])
  if !started[0]
    Done({error: started[1]}, [])
  elseif !state.is_over
    const End: func = started[1]
    running[token] = () => {
      state.is_over = true
      call(End, [])
    }
  endif
  return true
enddef

# Give up on a formatter.
export def Stop(token: number): bool
  if has_key(running, token)
    const End = remove(running, token)
    End()
  endif
  return true
enddef

# What stands in the way of using the result of the last formatter ('closed', 'changed'); otherwise whether it
# differs ('same', 'differs'). If `is_applied`, it is applied, as part of one undo step.
export def Take(run: number, is_applied: bool): string
  final one: dict<any> = runs[run]
  if !bufloaded(one.bufnr)
    return 'closed'
  elseif !one.is_changed
    # After the first change, `Save` detects writes to the file and reverts the changes.
    reload.SyncOne(one.bufnr)
  endif
  const expected: list<string> = one.lines
  const lines: list<string> = edit.InBuffer(one.result)
  if LinesOf(one.bufnr) !=# expected
    return 'changed'
  elseif lines ==# expected
    return 'same'
  elseif is_applied
    edit.Change(one.bufnr, lines, one.is_changed)
    extend(one, {is_changed: true, lines: LinesOf(one.bufnr)})
  endif
  return 'differs'
enddef

# The buffer of a run, and the text that the last formatter has made of it.
export def Result(run: number): list<any>
  return [runs[run].bufnr, edit.InBuffer(runs[run].result)]
enddef

# Write the buffer, unless it had unsaved changes before. If it cannot be written (`refusal`), it is restored,
# and updated from the disk. Returns how many `lines` have changed.
export def Save(run: number): dict<any>
  final one: dict<any> = runs[run]
  const bufnr: number = one.bufnr
  const refusal = one.start.modified ? '' : disk.Write(bufnr)
  if refusal !=# ''
    checkpoint.Restore(one.start)
    if disk.IsDamaged()
      setbufvar(bufnr, '&modified', true)
    endif
    reload.SyncOne(bufnr)
    return {refusal: refusal}
  endif
  const changed = max(rebase.Count(one.start.lines, LinesOf(bufnr)))
  return {is_saved: !one.start.modified, lines: changed}
enddef

# Forget a run.
export def Finish(run: number): bool
  if has_key(runs, run)
    remove(runs, run)
  endif
  return true
enddef

defcompile
