vim9script
# The model's questions about working folders.

import autoload '../file/folders.vim'

# The working folders, the current one first.
export def Folders(_: dict<any>): dict<any>
  const current = getcwd()
  return {folders: [current] + folders.All()->filter((_, folder) => folder !=# current)}
enddef

defcompile
