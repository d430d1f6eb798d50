vim9script
# Files that the user writes in Vim, which an agent's command has not changed.

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload '../file/disk.vim'

final written: dict<string> = {} # stamps by real path

# Only for the autocommand.
export def Note(path: string)
  const real = file.Resolved(fnamemodify(path, ':p'))
  if filereadable(real)
    written[real] = disk.Stamp(real)
    channel.Emit('review_saved', {path: real})
  endif
enddef

# Start to note the user's writes. The host calls this.
export def Watch(): bool
  augroup claude_ide_own_writes
    autocmd!
    autocmd BufWritePost * claude_ide#review#own_writes#Note(expand('<amatch>'))
  augroup END
  return true
enddef

# Those of the files, by their real paths, that the user was the last to write.
export def Among(paths: list<string>): list<string>
  return paths->copy()->filter((_, path) => get(written, path, '') ==# disk.Stamp(path))
enddef

defcompile
