vim9script
# Buffers that list files, by filetype: which of the files a mention refers to.
#
# A source gets the lines of the command's range, or [], and returns the files of these lines of the
# current buffer; without lines, those that are marked, otherwise the one under the cursor. Each is
# a path, or a dictionary with `path` and perhaps `first` and `last` (lines from 1, inclusive; 0 for
# none).

import autoload '../messages/reason.vim'
import autoload './git_lists.vim'
import autoload './lists.vim'
import autoload './trees.vim'

const MOST = 100

const SOURCES: dict<func> = {
  dirvish: (lines) => trees.Dirvish(lines),
  fern: (lines) => trees.Fern(lines),
  fugitive: (lines) => git_lists.Fugitive(lines),
  nerdtree: (lines) => trees.Nerdtree(lines),
  netrw: (lines) => trees.Netrw(lines),
  qf: (lines) => lists.Quickfix(lines),
}

# The entries of a source as dictionaries, each only once; throws if an item has no path.
def Checked(Source: func, lines: list<number>): list<dict<any>>
  var found: list<dict<any>> = []
  var known: dict<bool> = {}
  for item in call(Source, [lines])
    const entry: any = type(item) == v:t_string ? {path: item} : item
    if type(entry) != v:t_dict || type(get(entry, 'path', 0)) != v:t_string
      throw 'claude-ide: an item has no path'
    endif
    const key = string([entry.path, get(entry, 'first', 0), get(entry, 'last', 0)])
    if entry.path !=# '' && !has_key(known, key)
      known[key] = true
      found->add(entry)
    endif
  endfor
  return found
enddef

# Whether files are listed in the current buffer.
export def IsList(): bool
  return has_key(SOURCES, &filetype)
enddef

# The files that the user means in the current buffer, which lists some; `lines` as for a source.
# Throws a refusal in one line.
export def Entries(lines: list<number>): list<dict<any>>
  const filetype = &filetype
  # A source may move the cursor; an error in another plugin must not become ours.
  const view = winsaveview()
  const outcome = reason.Attempt(Checked, [SOURCES[filetype], lines])
  winrestview(view)
  if !outcome[0]
    throw $'claude-ide: no file from {filetype}: {outcome[1]}'
  elseif empty(outcome[1])
    const where = empty(lines) ? 'under the cursor' : 'in these lines'
    throw $'claude-ide: there is no file {where}'
  elseif len(outcome[1]) > MOST
    throw $'claude-ide: these are {len(outcome[1])} files; mention at most {MOST}'
  endif
  return outcome[1]
enddef

defcompile
