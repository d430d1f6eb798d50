vim9script
# An index of buffers by the last part of their names, so that finding the buffer of a file examines
# few buffers, however many there are.

import autoload './path.vim' as file

var is_built = false
final by_key: dict<dict<bool>> = {}
final key_of: dict<string> = {} # by buffer
final links: dict<bool> = {} # buffers whose name is itself a link
final outdated: dict<bool> = {}
var highest = 0 # the highest buffer number seen

def Clear(index: dict<any>)
  filter(index, (_, _) => false)
enddef

# Some file systems ignore case.
def KeyOf(path: string): string
  return tolower(fnamemodify(path, ':t'))
enddef

def Forget(bufnr: string)
  if has_key(key_of, bufnr)
    remove(by_key[remove(key_of, bufnr)], bufnr)
  endif
  if has_key(links, bufnr)
    remove(links, bufnr)
  endif
enddef

def Remember(bufnr: string)
  Forget(bufnr)
  const name = file.Name(str2nr(bufnr))
  if name ==# ''
    return
  endif
  const key = KeyOf(name)
  if !has_key(by_key, key)
    by_key[key] = {}
  endif
  by_key[key][bufnr] = true
  key_of[bufnr] = key
  if getftype(name) ==# 'link'
    links[bufnr] = true
  endif
enddef

def Build()
  for index in [by_key, key_of, links, outdated]
    Clear(index)
  endfor
  is_built = true
  highest = 0
  augroup claude_ide_buffer_names
    autocmd!
    # After any of these events a buffer may have another name, or its name may have become a link.
    autocmd BufAdd,BufFilePost,BufNew,BufReadPost,BufWipeout,BufWritePost *
      \ outdated[expand('<abuf>')] = true
  augroup END
enddef

# A buffer that was created while events were ignored has a higher number than any before it.
def CatchUp()
  # The highest number falls when its buffer is wiped out.
  const last = max([highest, bufnr('$')])
  for bufnr in range(highest + 1, last)
    outdated[bufnr] = true
  endfor
  highest = last
  for bufnr in keys(outdated)
    Remember(bufnr)
  endfor
  Clear(outdated)
enddef

# The buffers whose file may have one of these paths, in the order of their numbers. The caller must
# compare the whole paths.
export def Candidates(paths: list<string>): list<number>
  if !is_built
    Build()
  endif
  CatchUp()
  final found = copy(links)
  for path in paths
    extend(found, get(by_key, KeyOf(path), {}))
  endfor
  return keys(found)->mapnew((_, bufnr) => str2nr(bufnr))->sort('n')
enddef

# Whether the index has missed a buffer with this name, because it was renamed while events were
# ignored. If so, rebuild the index.
export def HaveMissed(path: string): bool
  if !bufexists(path) || Candidates([path])->indexof((_, bufnr) => file.Name(bufnr) ==# path) >= 0
    return false
  endif
  Build()
  return true
enddef

# Drop the index; the next search builds it again.
export def Stop()
  is_built = false
  augroup claude_ide_buffer_names
    autocmd!
  augroup END
enddef

defcompile
