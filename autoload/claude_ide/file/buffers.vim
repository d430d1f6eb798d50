vim9script
# Finds the buffer of a file, and reads, writes and watches it.

import autoload './path.vim' as file
import autoload './text.vim' as buffer_text
import autoload './disk.vim'
import autoload '../messages/reason.vim'

# Vim itself compares files, but knows which one a link leads to only as of when it last read it.
def ThroughLink(path: string): number
  return file.Loaded()->filter((_, bufnr) => {
    const name = file.Name(bufnr)
    return getftype(name) ==# 'link' && file.Resolved(name) ==# file.Resolved(path)
  })->get(0, 0)
enddef

# The buffer of a file, however the buffer and the caller spell its path: {bufnr, loaded, modified,
# listed, is_open}, or empty. One that a plugin, or we, have loaded without showing it is not open.
# `is_real` says that `path` has had no links: one that it has now is not followed. Throws if no file
# can have such a path.
export def Lookup(path: string, is_real = false): dict<any>
  const absolute = file.Absolute(path)
  const bufnr = bufexists(absolute) ? bufadd(absolute) : ThroughLink(absolute)
  const name = bufnr > 0 ? file.Path(bufnr) : ''
  if name ==# '' || (is_real && name !=# absolute && file.Resolved(name) !=# absolute)
    return {}
  endif
  const [loaded, listed] = [bufloaded(bufnr), buflisted(bufnr)]
  const is_modified = !!getbufvar(bufnr, '&modified')
  return {
    bufnr: bufnr,
    loaded: loaded,
    modified: is_modified,
    listed: listed,
    is_open: listed || (loaded && (is_modified || !empty(win_findbuf(bufnr)))),
  }
enddef

# The same, but null if there is none.
export def Find(path: string, is_real = false): any
  return Lookup(path, is_real) ?? v:null
enddef

# The loaded buffer of a file; 0 if there is none, also for a path that no file can have.
export def Loaded(path: string): number
  const [succeeded, found] = reason.Attempt(Lookup, [path])
  return succeeded && get(found, 'loaded', false) ? found.bufnr : 0
enddef

# Those of many paths whose buffers have unsaved changes.
export def Modified(paths: list<string>): list<string>
  return paths->copy()->filter((_, path) => {
    const bufnr = Loaded(path)
    return bufnr > 0 && getbufvar(bufnr, '&modified')
  })
enddef

# The text that `:write` would put on disk; null if the file is not loaded. `is_real` as in `Find`.
export def Text(path: string, is_real = false): any
  const buffer = Lookup(path, is_real)
  return get(buffer, 'loaded', false) ? {text: buffer_text.Get(buffer.bufnr)} : v:null
enddef

# Write a file as `:write` does, which runs the user's autocommands. Returns {saved: true} or
# {error}.
export def Save(path: string): dict<any>
  const buffer = Lookup(path)
  if !get(buffer, 'loaded', false)
    return {error: $'{path} is not open in Vim.'}
  endif
  const refusal = disk.Write(buffer.bufnr)
  return refusal ==# '' ? {saved: true} : {error: refusal}
enddef

defcompile
