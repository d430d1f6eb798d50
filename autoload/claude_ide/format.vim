vim9script
# Reformats a file with the user's own formatter, without blocking Vim.

import autoload './channel.vim'
import autoload './disk/reload.vim'
import autoload './file/edit.vim'
import autoload './file/load.vim'
import autoload './file/rebase.vim'
import autoload './file/write.vim'
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

# Put the new text into the buffer, and save it unless it had unsaved changes before. Returns [the
# error, the report].
def Apply(bufnr: number, path: string, name: string, lines: list<string>): list<string>
  const before = LinesOf(bufnr)
  const was_modified: bool = getbufvar(bufnr, '&modified')
  edit.Change(bufnr, lines)
  if LinesOf(bufnr) ==# before
    return ['', $'Nothing to change (asked {name}).']
  endif
  const refusal = was_modified ? '' : write.Write(bufnr)
  if refusal !=# ''
    edit.Change(bufnr, before)
    setbufvar(bufnr, '&modified', false)
    reload.SyncOne(bufnr)
    return [$'{path} was not reformatted, as it could not be saved: {refusal}', '']
  endif
  const saved = was_modified ? 'not saved, as the file had unsaved changes before' : 'saved'
  return ['', $'Reformatted with {name}: {Changed(before, LinesOf(bufnr))}, {saved}.']
enddef

def Unload(bufnr: number)
  if bufloaded(bufnr) && !getbufvar(bufnr, '&modified') && empty(win_findbuf(bufnr))
    execute $'silent! bunload {bufnr}'
  endif
enddef

def Start(bufnr: number, path: string, formatter: dict<any>, Finish: func)
  reload.SyncOne(bufnr)
  if getbufvar(bufnr, '&modified') && write.HasChanged(bufnr)
    call(Finish, [printf(CONFLICT, path), ''])
    return
  endif
  const lines = LinesOf(bufnr)
  const name: string = formatter.name
  const Format: func = formatter.Format
  Format((failure, output) => {
    reload.SyncOne(bufnr)
    if !bufloaded(bufnr)
      call(Finish, [printf(CLOSED, path), ''])
    elseif LinesOf(bufnr) !=# lines
      call(Finish, [printf(CHANGED, path), ''])
    elseif failure !=# ''
      call(Finish, [$'{name} could not reformat {path}: {failure}', ''])
    else
      const applied = reason.Attempt(Apply, [bufnr, path, name, output])
      call(Finish, applied[0] ? applied[1] : [applied[1], ''])
    endif
  })
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
        : reason.Try(Start, [bufnr, path, formatters[0], Finish])
      if failed !=# ''
        Finish(failed, '')
      endif
    })
  endif
  return true
enddef

defcompile
