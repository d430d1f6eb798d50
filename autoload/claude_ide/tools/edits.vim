vim9script
# Texts with which edits were computed, until these are applied.

import autoload '../diagnostics/unopened.vim'
import autoload '../disk/agent_file.vim'
import autoload '../disk/reload.vim'
import autoload '../file/write.vim' as file_write

# A digest of the text of a loaded buffer.
export def Digest(bufnr: number): string
  return agent_file.Digest(bufnr)
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
  return Digest(bufnr) !=# file.digest || IsOutdated(bufnr)
enddef

# Answers the `paths` of those files whose texts are no longer those of the digests.
export def Stale(arguments: dict<any>): dict<any>
  const files: list<dict<any>> = arguments.files
  return {paths: copy(files)->filter((_, file) => IsChanged(file))->mapnew((_, file) => file.path)}
enddef

defcompile
