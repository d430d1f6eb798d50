vim9script
# Facts about buffers for the model's tools: which there are, their texts, undo histories and files.

import autoload '../diagnostics/unopened.vim'
import autoload '../file/buffers.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim' as file
import autoload '../file/text.vim' as buffer_text
import autoload '../window/inside.vim'

# Bytes of a text that is compared, and of one whose states are restored, in a few milliseconds.
const LARGEST = 1000000
const LARGEST_UNDONE = 500000

# What the functions called inside a buffer have read, for their callers.
var tree: dict<any> = {}
var texts: list<string> = []

# The buffer of a file that is loaded, without loading one. Throws an error, which ends with what
# follows for the caller.
export def OpenBuffer(path: string, consequence: string): number
  const found = buffers.Lookup(path)
  if !get(found, 'loaded', false)
    throw $'claude-ide: {path} is not open in Vim{consequence}'
  endif
  return found.bufnr
enddef

# Rows of files, from 0: for each `{path, rows}` the lines in this order, empty for one that is not there;
# false for a file that is not loaded.
export def Rows(wanted: list<dict<any>>): list<any>
  return wanted->mapnew((_, each) => {
    const bufnr = buffers.Loaded(each.path)
    return bufnr > 0
      ? each.rows->mapnew((_, row) => claude_ide#places#Visible(claude_ide#places#Line(bufnr, row + 1)))
      : false
  })
enddef

def Joined(lines: list<string>): string
  return lines->mapnew((_, line) => claude_ide#places#Visible(line))->join("\n")
enddef

# The texts of a file on disk and in its buffer, which the host compares, or a `note`.
export def Unsaved(arguments: dict<any>): dict<any>
  const bufnr: number = arguments.bufnr
  const path = file.Path(bufnr)
  if edit.IsTranslated(bufnr)
    return {path: path, note: 'a plugin makes its text'}
  endif
  const text = Joined(buffer_text.Get(bufnr))
  const saved = filereadable(path) ? getfsize(path) : 0
  return max([len(text), saved]) > LARGEST
    ? {path: path, note: 'too large to compare'}
    : {path: path, older: saved > 0 ? Joined(readfile(path, 'b')) : '', newer: text}
enddef

# Called in a buffer. Before 9.1 `undotree()` knows only the current one.
export def LookAtTree()
  tree = undotree()
enddef

# The undo `tree` of a file's buffer, and the time `now`.
export def UndoTree(arguments: dict<any>): dict<any>
  const bufnr = OpenBuffer(arguments.file, ', so it has no undo history')
  inside.Run(bufnr, 'call claude_ide#tools#buffers#LookAtTree()')
  return {tree: tree, now: localtime()}
enddef

# Called in a copy: its text in each of some states. Without a history there is no file with it.
export def Restore(path: string, states: list<number>)
  setlocal undolevels=1000
  const has_history = filereadable(path)
  if has_history
    execute 'silent rundo' fnameescape(path)
  endif
  texts = []
  for state in states
    if has_history
      execute 'silent undo' state
    endif
    texts->add(Joined(getline(1, '$')) .. "\n")
  endfor
enddef

# The texts of two states, which the host compares, from a copy of the buffer that has the same undo history.
export def UndoDiff(arguments: dict<any>): dict<any>
  const bufnr = OpenBuffer(arguments.file, ', so it has no undo history')
  const lines = getbufline(bufnr, 1, '$')
  if len(join(lines, "\n")) > LARGEST_UNDONE
    throw 'claude-ide: the text is too large to compare'
  endif
  const path = tempname()
  const copy = popup_create(lines, {hidden: true})
  try
    inside.Run(bufnr, $'silent noautocmd wundo! {fnameescape(path)}')
    const restored = $'{string(path)}, {string([arguments.from, arguments.to])}'
    win_execute(copy, $'noautocmd call claude_ide#tools#buffers#Restore({restored})')
  finally
    popup_close(copy)
    delete(path)
  endtry
  return {older: texts[0], newer: texts[1]}
enddef

# A buffer without a file is the user's own.
def Name(path: string, bufnr: number): dict<any>
  return {
    path: path,
    is_open: path ==# '' || (bufnr > 0 && unopened.IsOpened(bufnr)),
    refusal: get(file.Check(path, true), 'refusal', ''),
  }
enddef

# The absolute `path` of each of the `files` and `buffers`; whether it `is_open`, that is, the user
# has opened it, or it is no file; and the `refusal` of a path that no tool would read. The working
# `folders`, too.
export def Named(arguments: dict<any>): dict<any>
  const files = arguments.files->mapnew((_, each) => {
    const path = file.Absolute(each.file)
    return Name(path, buffers.Lookup(path)->get('bufnr', 0))
  })
  const others = arguments.buffers->mapnew((_, each) => Name(file.Path(each.bufnr), each.bufnr))
  return {files: files + others, folders: claude_ide#places#Folders()}
enddef

# Write a file's buffer as `:write` does.
export def Save(arguments: dict<any>): dict<any>
  return buffers.Save(arguments.file)
enddef

# Load a file unseen. Answers { bufnr, is_new }; `is_new`: nothing may have checked it yet.
export def Load(arguments: dict<any>): dict<any>
  const loaded = unopened.Load(arguments.file)
  if !has_key(loaded, 'bufnr')
    throw 'claude-ide: ' .. get(loaded, 'error', $'{arguments.file}: {get(loaded, "obstacle", "")}')
  endif
  return {bufnr: loaded.bufnr, is_new: loaded.is_cold}
enddef

defcompile
