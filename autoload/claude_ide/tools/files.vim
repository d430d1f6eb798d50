vim9script
# The model's questions about working folders, and its wish to save a file.

import autoload '../file/buffers.vim'
import autoload '../file/folders.vim'

# The working folders, the current one first.
export def Folders(_: dict<any>): dict<any>
  const current = buffers.Folder()
  return {folders: [current] + folders.All()->filter((_, folder) => folder !=# current)}
enddef

# Write a file's buffer as `:write` does.
export def Save(arguments: dict<any>): dict<any>
  return buffers.Save(arguments.file)
enddef

defcompile
