vim9script
# Stamps tell states of a file apart. Vim tells only whole seconds of a file's time, so a change of
# the same size within one second shows in none of them; `changed.vim` sees it.

# The stamp of a file that does not exist.
export const MISSING = 'missing'

# The stamp of the file at a path.
export def Of(path: string): string
  return getftype(path) ==# '' ? MISSING : $'{getftime(path)} {getfsize(path)}'
enddef

defcompile
