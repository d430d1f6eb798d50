vim9script
# Describes the files that a model's tool is given, so that the host can decide whether it may read
# them (`mcp/reading.py`).

import autoload '../diagnostics/unopened.vim'
import autoload '../file/buffers.vim'
import autoload '../file/folders.vim'
import autoload '../file/gate.vim'
import autoload '../file/path.vim' as file

# A buffer without a file is the user's own.
def Described(path: string, bufnr: number): dict<any>
  return {
    path: path,
    is_open: path ==# '' || (bufnr > 0 && unopened.IsOpened(bufnr)),
    refusal: get(gate.Existing(path), 'refusal', ''),
  }
enddef

def OfFile(given: string): dict<any>
  const path = gate.Absolute(given)
  return Described(path, buffers.Lookup(path)->get('bufnr', 0))
enddef

# The absolute `path` of each of the `files` and `buffers`; whether it `is_open`, that is, the user
# has opened it, or it is no file; and the `refusal` of a path that no tool would read. The working
# `folders`, too.
export def Describe(arguments: dict<any>): dict<any>
  const files = arguments.files->mapnew((_, each) => OfFile(each.file))
  const others = arguments.buffers->mapnew((_, each) => Described(file.Path(each.bufnr), each.bufnr))
  return {files: files + others, folders: folders.All()}
enddef

defcompile
