vim9script
# Reformats a file with the user's own formatters, without blocking Vim.

import autoload './channel.vim'
import autoload './disk/reload.vim'
import autoload './file/edit.vim'
import autoload './file/load.vim'
import autoload './file/rebase.vim'
import autoload './file/write.vim'
import autoload './format/checkpoint.vim'
import autoload './format/choice.vim'
import autoload './say/reason.vim'

const CLOSED = '%s was closed while it was being reformatted.'
const CHANGED = '%s was changed while it was being reformatted; the changes were kept.'
const NO_FORMATTER = "%s has no formatter: no fixers of ALE, no 'formatexpr', no language server of "
  .. "vim-lsp, yegappan/lsp or coc.nvim, and no 'formatprg' or 'equalprg' formats it."
const CONFLICT =
  '%s has unsaved changes in Vim and has changed on disk, too; it was not reformatted.'

def LinesOf(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

def Changed(before: list<string>, after: list<string>): string
  const count = max(rebase.Count(before, after))
  return $'{count} {count == 1 ? "line" : "lines"} changed'
enddef

# The names of the formatters that have changed the text, how much they have, and what failed.
def Report(run: dict<any>): string
  const failures = run.failures->mapnew((_, failure) => $' {failure}.')->join('')
  if empty(run.changed_by)
    return $'Nothing to change (asked {join(run.asked, " and ")}).{failures}'
  endif
  const saved = run.start.modified ? 'not saved, as the file had unsaved changes before' : 'saved'
  const changed = Changed(run.start.lines, LinesOf(run.bufnr))
  return $'Reformatted with {join(run.changed_by, " and ")}: {changed}, {saved}.{failures}'
enddef

# If the text cannot be saved, the buffer is restored and updated from the disk. Returns the error.
def Save(run: dict<any>): string
  const refusal = write.Write(run.bufnr)
  if refusal ==# ''
    return ''
  endif
  checkpoint.Restore(run.start)
  if write.IsDamaged()
    setbufvar(run.bufnr, '&modified', true)
  endif
  reload.SyncOne(run.bufnr)
  return $'{run.path} was not reformatted, as it could not be saved: {refusal}'
enddef

def Conclude(run: dict<any>)
  if empty(run.asked)
    call(run.Finish, [join(run.failures, '; '), ''])
    return
  endif
  const is_to_save = !empty(run.changed_by) && !run.start.modified
  const error = is_to_save ? Save(run) : ''
  call(run.Finish, [error, error ==# '' ? Report(run) : ''])
enddef

# Why no further formatter may be applied to the buffer, if so.
def Obstacle(run: dict<any>): string
  if !bufloaded(run.bufnr)
    return printf(CLOSED, run.path)
  elseif empty(run.changed_by)
    # After the first change, `Save` detects writes to the file and reverts the changes.
    reload.SyncOne(run.bufnr)
  endif
  return LinesOf(run.bufnr) !=# run.lines ? printf(CHANGED, run.path) : ''
enddef

def Apply(run: dict<any>, name: string, output: list<string>)
  const lines = edit.InBuffer(output)
  if lines !=# run.lines
    edit.Change(run.bufnr, lines, !empty(run.changed_by))
    run.changed_by->add(name)
    run.lines = LinesOf(run.bufnr)
  endif
  run.asked->add(name)
enddef

# Apply the formatters from `index` on, also those after one that has failed.
def Continue(run: dict<any>, formatters: list<dict<any>>, index: number)
  if index == len(formatters)
    Conclude(run)
    return
  endif
  const name: string = formatters[index].name
  def Done(failure: string, output: list<string>)
    const obstacle = Obstacle(run)
    if obstacle !=# ''
      call(run.Finish, [obstacle, ''])
      return
    endif
    const failed = failure !=# '' ? failure : reason.Try(Apply, [run, name, output])
    if failed !=# ''
      run.failures->add($'{name} could not reformat {run.path}: {failed}')
    endif
    Continue(run, formatters, index + 1)
  enddef
  const Format: func = formatters[index].Format
  const failed = reason.Try(Format, [Done])
  if failed !=# ''
    Done(failed, [])
  endif
enddef

def Unload(bufnr: number)
  if bufloaded(bufnr) && !getbufvar(bufnr, '&modified') && empty(win_findbuf(bufnr))
    execute $'silent! bunload {bufnr}'
  endif
enddef

def Start(bufnr: number, path: string, formatters: list<dict<any>>, Finish: func)
  reload.SyncOne(bufnr)
  if getbufvar(bufnr, '&modified') && write.HasChanged(bufnr)
    call(Finish, [printf(CONFLICT, path), ''])
    return
  endif
  const start = checkpoint.New(bufnr)
  Continue({
    bufnr: bufnr,
    path: path,
    Finish: Finish,
    start: start,
    lines: start.lines, # the expected text; another one means that it was changed
    asked: [],
    changed_by: [],
    failures: [],
  }, formatters, 0)
enddef

# Reformat a file, and save it unless it had unsaved changes before. Then emit `reformatted` with the
# `token`, `ok`, and either a `report` of the changes or an `error` of one sentence.
export def Reformat(token: number, path: string): bool
  def Answer(error: string, text: string)
    final payload: dict<any> = {token: token, ok: error ==# ''}
    payload[error ==# '' ? 'report' : 'error'] = error ==# '' ? text : error
    channel.Emit('reformatted', payload)
  enddef
  const added = load.Add(path)
  if has_key(added, 'refusal')
    Answer(added.refusal =~# ': no such file$' ? 'File not found' : added.refusal, '')
    return true
  endif
  const bufnr: number = added.bufnr
  const was_loaded = bufloaded(bufnr)
  const loaded = load.Hidden(bufnr)
  def Finish(error: string, text: string)
    if !was_loaded
      Unload(bufnr)
    endif
    Answer(error, text)
  enddef
  if loaded.error !=# '' && !bufloaded(bufnr)
    Finish(loaded.error, '')
  elseif getbufvar(bufnr, '&readonly') || !getbufvar(bufnr, '&modifiable')
    Finish(trim($'{path} is read-only. {loaded.note}'), '')
  else
    choice.Find(bufnr, !was_loaded, (formatters) => {
      const failed = !bufloaded(bufnr) ? printf(CLOSED, path)
        : empty(formatters) ? printf(NO_FORMATTER, path)
        : reason.Try(Start, [bufnr, path, formatters, Finish])
      if failed !=# ''
        Finish(failed, '')
      endif
    })
  endif
  return true
enddef

defcompile
