vim9script
# Tells the host of writes to open files without a diff, which it reports to the user
# (`editor/disk.py`).

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload '../file/rebase.vim'

const FRAME = 20 # columns around a message

# The text of a buffer that is about to be updated.
export def Before(bufnr: number): dict<any>
  return {lines: getbufline(bufnr, 1, '$'), tick: getbufvar(bufnr, 'changedtick')}
enddef

# Report that a buffer has been updated from its file. Buffers that are not listed are not reported.
# Returns whether the text differs.
export def Followed(bufnr: number, before: dict<any>): bool
  const now = Before(bufnr)
  if before.lines ==# now.lines
    return false
  endif
  const path = file.Name(bufnr)
  const agent = claude_ide#agent_writes#Take(path)
  if getbufvar(bufnr, '&buflisted')
    # A text without lines has none.
    const [removed, added] = rebase.Count(before.lines, now.lines)
    channel.Emit('file_followed', {
      path: path,
      agent: agent,
      added: now.lines ==# [''] ? 0 : added,
      removed: before.lines ==# [''] ? 0 : removed,
      old_tick: before.tick,
      new_tick: now.tick,
      columns: &columns - FRAME,
    })
  endif
  return true
enddef

defcompile
