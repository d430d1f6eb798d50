vim9script
# Tells the host of writes to open files without a diff, which it reports to the user
# (`editor/disk.py`). Knows which files an agent has announced it will write without a diff: the next write
# to such a file, if it follows soon, is attributed to the agent.

import autoload '../channel.vim'
import autoload '../file/path.vim' as file
import autoload '../file/rebase.vim'

const FRAME = 20 # columns around a message
# Milliseconds between the announcement and the write; the agent does not ask the user in between.
const LASTS = 10000

final unjudged: dict<bool> = {} # by path: writes that may be merged with unsaved changes
final writes: dict<dict<any>> = {} # by real path: the `agent`, and the time `since` when

# The name of the agent that has announced the next write to a file; empty for another program.
export def Announced(path: string): string
  const note = get(writes, file.Resolved(path), {})
  return !empty(note) && reltimefloat(reltime(note.since)) * 1000 < LASTS ? note.agent : ''
enddef

# Record that an agent is about to write a file.
export def Announce(path: string, agent = 'Claude'): bool
  writes[file.Resolved(path)] = {since: reltime(), agent: agent}
  return true
enddef

# The write to a file has just happened. Returns what `Announced` does.
export def Take(path: string): string
  const agent = Announced(path)
  writes->filter((real, _) => real !=# file.Resolved(path))
  return agent
enddef

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
  const agent = Take(path)
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

# Report that a buffer keeps its unsaved changes and is not updated. These are based on the text with the
# `stamp`, which `is_earlier` than the one before the change.
export def Kept(path: string, stamp: string, is_earlier: bool)
  unjudged[path] = true
  const facts = {path: path, stamp: stamp, is_earlier: is_earlier}
  channel.Emit('file_kept', extend({agent: Take(path)}, facts))
enddef

# Know that such a write is no agent's, and is not merged. The host calls this.
export def Judged(path: string)
  unjudged->filter((known, _) => known !=# path)
enddef

# Whether the host does not know yet whether it is.
export def IsUnjudged(path: string): bool
  return has_key(unjudged, path)
enddef

defcompile
