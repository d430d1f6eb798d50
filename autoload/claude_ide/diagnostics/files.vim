vim9script
# The files whose diagnostics may be reported.

import autoload '../file/gate.vim'
import autoload '../file/path.vim' as file
import autoload '../privacy.vim'
import autoload './sets.vim'

# Whether a file need not stay in the editor. A source may also have entries of buffers that hold none.
export def IsReported(path: string): bool
  if path !~# '^/' || (bufexists(path) && getbufvar(bufadd(path), '&buftype') !=# '')
    return false
  endif
  return privacy.Reason(path) ==# ''
enddef

# The paths of one file or, without a path, of all files with diagnostics that may be reported. Throws
# if no file can have the path.
export def Reported(path: any): list<string>
  var paths = sets.Paths()
  if type(path) == v:t_string
    const absolute = gate.Absolute(path)
    const wanted = file.Resolved(absolute)
    # A source and the host may spell the same path differently.
    paths->filter((_, each) => each ==# absolute || file.Resolved(each) ==# wanted)
  endif
  return paths->filter((_, each) => IsReported(each))
enddef

defcompile
