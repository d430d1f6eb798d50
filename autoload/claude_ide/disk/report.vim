vim9script
scriptencoding utf-8
# Reports writes to open files without a diff, in one line for all that occur together.

import autoload '../file/path.vim' as file_path
import autoload '../file/rebase.vim'
import autoload '../say/message.vim'
import autoload './expected.vim'
import autoload './named_files.vim'

# Milliseconds.
const PAUSE = 150
const PATIENCE = 5000
const QUIET = 10000
const MOST_NAMED = 3 # files
const HINT = '; for diffs :help claude-ide-mode'
const MOST_REPEATED = 3 # reports of a file that is written without a pause
const FRAME = 20 # columns around a message

# By path: the `name`, the `agent` ('' for another program), the lines `added` and `removed`, the texts
# `before` and `after`, and how many undo `steps` lead back to `before`; 0 if the user has changed the file
# in between.
var followed: dict<dict<any>> = {}
var kept: dict<string> = {} # by path, the names of files whose buffers have unsaved changes
var repeats: dict<dict<any>> = {}
var is_hinted = false
var latest = 0
var since = 0 # when the first unreported write was added

def Counts(added: number, removed: number): string
  return $'(+{added} −{removed})'
enddef

def Listed(files: list<dict<any>>): string
  return files->mapnew((_, file) => $'{file.name} {Counts(file.added, file.removed)}')->join(', ')
enddef

def Many(files: list<dict<any>>, agent: string): string
  var added = 0
  var removed = 0
  for file in files
    added += file.added
    removed += file.removed
  endfor
  const written = $'{len(files)} files'
  const counts = Counts(added, removed)
  return agent ==# '' ? $'{written} changed on disk {counts}'
    : $'{agent} changed {written} {counts}'
enddef

def Theirs(files: list<dict<any>>): string
  if len(files) == 1
    return $'{files[0].name} changed on disk {Counts(files[0].added, files[0].removed)}'
  endif
  return $'{Listed(files)} changed on disk'
enddef

def Agents(files: list<dict<any>>): list<string>
  var agents: list<string> = []
  for file in files
    if agents->index(file.agent) < 0
      agents->add(file.agent)
    endif
  endfor
  return agents
enddef

# The keys that undo what is reported.
def Remedy(files: list<dict<any>>): string
  if len(files) > 1
    return files->indexof((_, file) => file.steps != 1) < 0 ? 'u undoes each' : 'u undoes each write'
  endif
  const steps: number = files[0].steps
  return steps == 0 ? 'u undoes the last write' : $'{steps > 1 ? steps : ""}u undoes'
enddef

def PartsOfFollowed(): list<string>
  const files = values(followed)->sort((one, other) => {
    const name: string = one.name
    const other_name: string = other.name
    return name <# other_name ? -1 : 1
  })
  if empty(files)
    return []
  endif
  const agents = Agents(files)
  if len(files) > MOST_NAMED
    return [Many(files, len(agents) == 1 ? agents[0] : ''), Remedy(files)]
  endif
  var parts: list<string> = []
  for agent in agents->copy()->filter((_, name) => name !=# '')
    const own = files->copy()->filter((_, file) => file.agent ==# agent)
    parts->add($'{agent} changed {Listed(own)}')
  endfor
  const others = files->copy()->filter((_, file) => file.agent ==# '')
  if !empty(others)
    parts->add(Theirs(others))
  endif
  return parts->add(Remedy(files))
enddef

def PartsOfKept(): list<string>
  const names = values(kept)->sort()
  if len(names) > MOST_NAMED
    return [$'{len(names)} files changed on disk; unsaved changes kept']
  elseif !empty(names)
    return [$'{join(names, ", ")} changed on disk; unsaved changes kept']
  endif
  return []
enddef

# Once, a user who would rather review the edits is told how. On a narrow screen, the message itself
# is more important.
def WithHint(text: string): string
  const has_claudes = values(followed)->indexof((_, file) => file.agent ==# named_files.CLAUDE) >= 0
  if is_hinted || !has_claudes || strdisplaywidth(text .. HINT) > &columns - FRAME
    return text
  endif
  is_hinted = true
  return text .. HINT
enddef

def Report()
  const level = empty(kept) ? 'info' : 'warn'
  const parts = PartsOfKept() + PartsOfFollowed()
  const text = WithHint(join(parts, '; '))
  followed = {}
  kept = {}
  since = 0
  if !empty(parts)
    message.Show(text, level)
  endif
enddef

# Wait for a pause between the writes, but not longer than PATIENCE.
def ReportSoon()
  latest += 1
  since = since > 0 ? since : expected.Now()
  const own = latest
  const remaining = max([since + PATIENCE - expected.Now(), 0])
  timer_start(min([PAUSE, remaining]), (_) => {
    if own == latest
      Report()
    endif
  })
enddef

# Without this limit, a growing log would be reported constantly.
def IsRepeated(path: string): bool
  const last = get(repeats, path, {count: 0, at: -QUIET})
  const now = expected.Now()
  const count = now - last.at > QUIET ? 1 : last.count + 1
  repeats[path] = {count: count, at: now}
  return count > MOST_REPEATED
enddef

# How many lines were [removed, added]. A text without lines has none.
def Difference(before: list<string>, after: list<string>): list<number>
  const [removed, added] = rebase.Count(before, after)
  return [before ==# [''] ? 0 : removed, after ==# [''] ? 0 : added]
enddef

# All writes to a file since the last report count as one.
def Add(path: string, before: list<string>, after: list<string>, agent: string)
  const last = get(followed, path, {before: before, after: before, agent: '', steps: 0})
  const is_in_a_row = !has_key(followed, path) || (last.steps > 0 && last.after ==# before)
  const [removed, added] = Difference(last.before, after)
  if has_key(kept, path)
    kept->remove(path)
  endif
  if added + removed > 0
    followed[path] = {
      name: fnamemodify(path, ':t'),
      agent: agent !=# '' ? agent : last.agent,
      added: added,
      removed: removed,
      before: last.before,
      after: after,
      steps: is_in_a_row ? last.steps + 1 : 0,
    }
  elseif has_key(followed, path)
    followed->remove(path)
  endif
  ReportSoon()
enddef

# Report that a buffer has been updated from its file. Buffers that are not listed are not reported.
# Returns whether the texts differ.
export def Followed(bufnr: number, before: list<string>, after: list<string>): bool
  if before ==# after
    return false
  endif
  const path = file_path.Name(bufnr)
  const agent = named_files.Agent(path)
  named_files.Forget(path)
  if getbufvar(bufnr, '&buflisted') && !IsRepeated(path)
    Add(path, before, after, agent)
  endif
  return true
enddef

# Report that a buffer keeps its unsaved changes and is not updated.
export def Kept(path: string)
  named_files.Forget(path)
  kept[path] = fnamemodify(path, ':t')
  if has_key(followed, path)
    followed->remove(path)
  endif
  ReportSoon()
enddef

defcompile
