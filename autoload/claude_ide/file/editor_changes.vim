vim9script
# Reports the open files to the host.

import autoload './folders.vim'

# The snapshot that later reports of changes refer to.
export def Begin(): dict<any>
  return {editors: [], folders: folders.All()}
enddef
