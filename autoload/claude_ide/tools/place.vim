vim9script
# Finds what a model names: a file, and a position in it.

import autoload '../file/buffers.vim'
import autoload '../file/open.vim' as open_files
import autoload '../file/path.vim' as file

# The buffer of a file that is loaded, without loading one. Throws an error, which ends with what
# follows for the caller.
export def OpenBuffer(path: string, consequence: string): number
  const found = buffers.Lookup(path)
  if !get(found, 'loaded', false)
    throw $'claude-ide: {path} is not open in Vim{consequence}'
  endif
  return found.bufnr
enddef

def HasFile(win: number): bool
  return file.Path(winbufnr(win)) !=# ''
enddef

# The window in which the user works on a file: the current one, or the last one if they are in a
# terminal or a list. Without such a window it is the current one.
export def Window(): number
  const here = win_getid()
  const found = HasFile(here) ? here
    : open_files.Find([tabpagenr()] + range(1, tabpagenr('$')), (win) => HasFile(win))
  return found > 0 ? found : here
enddef

defcompile
