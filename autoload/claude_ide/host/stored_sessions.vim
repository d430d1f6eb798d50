vim9script
# The ids of the CLI's stored sessions in the working folder, for completion. Only Python reads the
# sessions (`agents/stream_json/history.py`), but completion must not wait for it.

import autoload './lock.vim'
import autoload '../file/path.vim' as file

const LONGEST_NAME = 200
const MOST = 50

# The CLI cuts the name of a long path, and adds something of its own to it.
def Folder(): string
  const projects = lock.ConfigFolder() .. '/projects'
  const name = file.Resolved(getcwd())->substitute('[^a-zA-Z0-9]', '-', 'g')
  return len(name) <= LONGEST_NAME ? $'{projects}/{name}'
    : globpath(projects, strpart(name, 0, LONGEST_NAME) .. '-*', true, true)->get(0, '')
enddef

# The ids of the sessions, the latest first.
export def Ids(): list<string>
  const folder = Folder()
  if folder ==# '' || !isdirectory(folder)
    return []
  endif
  return globpath(folder, '*.jsonl', true, true)
    ->filter((_, path) => getfsize(path) > 0 && path =~# '/[0-9a-f-]\+\.jsonl$')
    ->sort((one, other) => getftime(other) - getftime(one))
    ->map((_, path) => fnamemodify(path, ':t:r'))
    ->slice(0, MOST)
enddef

defcompile
