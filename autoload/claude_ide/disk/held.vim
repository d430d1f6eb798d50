vim9script
# The loaded buffers that hold files.

import autoload '../file/path.vim' as file

# The absolute path of the file that a loaded buffer holds; empty for a buffer of another kind.
export def Path(bufnr: number): string
  return bufloaded(bufnr) ? file.Path(bufnr) : ''
enddef

# The numbers of all loaded buffers that hold files.
export def All(): list<number>
  return file.Loaded()->filter((_, bufnr) => Path(bufnr) !=# '')
enddef

defcompile
