vim9script
# Stamps distinguish the states of a file. Vim returns a file's time in whole seconds, so a change
# within the same second that keeps the size changes no stamp; `changed.vim` detects it.

# The stamp of a file that does not exist.
export const MISSING = 'missing'

# The stamp of the file at a path.
export def Of(path: string): string
  return getftype(path) ==# '' ? MISSING : $'{getftime(path)} {getfsize(path)}'
enddef

defcompile
