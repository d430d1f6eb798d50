vim9script
# Texts with which edits were computed, until these are applied.

import autoload '../diagnostics/unopened.vim'
import autoload '../disk/agent_file.vim'
import autoload '../disk/reload.vim'
import autoload '../file/folders.vim'
import autoload '../file/text.vim' as buffer_text
import autoload '../file/whereabouts.vim'
import autoload '../file/write.vim' as file_write

# The text of a loaded buffer, and what a write would add to its lines (`BufferText` in `mcp/lsp/edits.py`).
# Throws if the lines cannot cross the channel.
export def Text(bufnr: number, path: string): dict<any>
  const lines = getbufline(bufnr, 1, '$')
  if !buffer_text.IsUtf8(lines)
    throw $'claude-ide: {path}: not valid UTF-8'
  endif
  const where = whereabouts.Of(path, folders.All())
  const Of = (name) => getbufvar(bufnr, '&' .. name)
  return {
    path: path,
    bufnr: bufnr,
    lines: lines,
    fileformat: Of('fileformat'),
    has_bom: !!Of('bomb'),
    is_ended: Of('endofline') || (Of('fixendofline') && !Of('binary')),
    is_modified: !!Of('modified'),
    is_writable: Of('modifiable') && !Of('readonly'),
    digest: agent_file.Digest(bufnr),
    warning: where.warning,
    target: where.target,
  }
enddef

# Whether a buffer will soon get another text from the disk. It is not updated while the write of an accepted
# diff is expected.
def IsOutdated(bufnr: number): bool
  return file_write.IsInConflict(bufnr) && !getbufvar(bufnr, '&modified') && reload.IsFollowed(bufnr)
enddef

# Whether a file has another text than the one with which an edit was computed. A file that was
# unloaded during a long review is loaded again.
def IsChanged(file: dict<any>): bool
  const bufnr: number = get(unopened.Load(file.path), 'bufnr', 0)
  if bufnr == 0
    return true
  elseif !getbufvar(bufnr, '&modified')
    reload.SyncOne(bufnr)
  endif
  return agent_file.Digest(bufnr) !=# file.digest || IsOutdated(bufnr)
enddef

# Answers the `paths` of those files whose texts are no longer those of the digests.
export def Stale(arguments: dict<any>): dict<any>
  const files: list<dict<any>> = arguments.files
  return {paths: copy(files)->filter((_, file) => IsChanged(file))->mapnew((_, file) => file.path)}
enddef

defcompile
