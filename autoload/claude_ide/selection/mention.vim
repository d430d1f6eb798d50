vim9script
# Mentions of a file, a folder or lines of a file, in the CLI's format (`at_mentioned`).
#
# A mention is a dictionary: `filePath`, and perhaps `lineStart` and `lineEnd` (from 0, inclusive);
# or only `error`, one sentence.

import autoload '../file/buffers.vim'
import autoload '../file/gate.vim'
import autoload '../file/path.vim' as file
import autoload '../say/message.vim'
import autoload '../say/reason.vim'
import autoload './sources.vim'

const NO_FILE = 'this buffer has no file; use :ClaudeAdd {path}'
const LONGEST_REASON = 200 # columns

# `first` and `last` (inclusive) count from 1; 0 means the whole file.
def Mention(path: string, first = 0, last = 0): dict<any>
  if path !~# '\_s'
    return first == 0 ? {filePath: path}
      : {filePath: path, lineStart: first - 1, lineEnd: last - 1}
  endif
  # The CLI reads a path with blanks only if it is quoted, together with the lines.
  const lines = first == 0 ? '' : first == last ? $'#L{first}' : $'#L{first}-{last}'
  return {filePath: $'"{path}{lines}"'}
enddef

# A missing argument is null or false from Python, and '' from a command.
def IsGiven(value: any): bool
  return type(value) == v:t_number || (type(value) == v:t_string && !empty(value))
enddef

# Mention lines of a buffer (from 1, inclusive), or without lines the whole file.
export def Range(bufnr: number, line1: any = false, line2: any = false): dict<any>
  const path = file.Path(bufnr == 0 ? bufnr() : bufnr)
  if path ==# ''
    return {error: NO_FILE}
  elseif !IsGiven(line1)
    return Mention(path)
  endif
  return Mention(path, line1, IsGiven(line2) ? line2 : line1)
enddef

# The absolute path for what was typed: `%` and `~` mean what they mean in Vim, and the escapes that
# completion adds are removed. Empty if `%` is not a file.
def Expand(typed: string): string
  if typed =~# '^%[:[:alnum:]~.]*$'
    return file.Path(bufnr()) ==# '' ? '' : gate.Absolute(expand('%:p' .. typed[1 :] .. ':p'))
  endif
  const path = gate.Absolute(typed)
  return gate.TypeOf(path) !=# '' ? path
    : gate.Absolute(substitute(typed, '\\\(.\)', '\1', 'g'))
enddef

# The number of lines of a file, in its buffer if it is loaded; -1 if it cannot be read.
def CountLines(path: string): number
  const bufnr = buffers.Loaded(path)
  if bufnr > 0
    return getbufinfo(bufnr)[0].linecount
  endif
  return filereadable(path) ? len(readfile(path)) : -1
enddef

# 0 if it is none.
def LineNumber(typed: any): number
  const text: string = type(typed) == v:t_string ? typed : string(typed)
  return text =~# '^\d\+$' ? str2nr(text) : 0
enddef

# Why a range of lines is invalid; empty if it is valid.
def RangeError(path: string, first: any, last: any): string
  for each in [first, last]
    if LineNumber(each) == 0
      return $'not a line number: {each}'
    endif
  endfor
  const count = CountLines(path)
  if LineNumber(first) > LineNumber(last)
    return $'line {first} comes after line {last}'
  elseif count < 0
    return $'cannot read {path}'
  elseif LineNumber(last) > count
    return $'line {last} is past the end ({count == 1 ? "1 line" : $"{count} lines"})'
  endif
  return ''
enddef

# Mention a file, a folder, or lines of a file, as typed after `:ClaudeAdd`. `range` may have lines
# to mention (`bufnr`, `first`, `last`) if the file is that of the buffer, and no others are given.
export def Path(typed: string, given: any = '', given_last: any = '', range: any = false): dict<any>
  const path = Expand(typed)
  if path ==# ''
    return {error: NO_FILE}
  endif
  var first = given
  var last = given_last
  if type(range) == v:t_dict && !IsGiven(first) && path ==# file.Path(range.bufnr)
    first = range.first
    last = range.last
  endif
  const kind = gate.TypeOf(path)
  if kind ==# ''
    return {error: $'no such file: {typed}'}
  elseif index(['file', 'dir'], kind) < 0
    return {error: $'neither a file nor a folder: {typed}'}
  elseif !IsGiven(first)
    return Mention(path)
  elseif kind ==# 'dir'
    return {error: $'a folder has no lines: {typed}'}
  endif
  last = IsGiven(last) ? last : first
  const problem = RangeError(path, first, last)
  return problem ==# '' ? Mention(path, LineNumber(first), LineNumber(last)) : {error: problem}
enddef

def Listed(entry: dict<any>): dict<any>
  const [succeeded, path] = reason.Attempt(gate.Absolute, [entry.path])
  if !succeeded
    return {error: path}
  endif
  const kind = gate.TypeOf(path)
  if kind ==# ''
    return {error: $'no such file: {entry.path}'}
  elseif index(['file', 'dir'], kind) < 0
    return {error: $'neither a file nor a folder: {entry.path}'}
  endif
  const first: number = kind ==# 'file' ? get(entry, 'first', 0) : 0
  return Mention(path, first, max([first, get(entry, 'last', 0)]))
enddef

# The mentions for what the user means in a buffer that lists files; empty if files are not listed
# in the current buffer. `lines` has the range of the command, if it has one.
export def ListedMentions(lines: list<number>): list<dict<any>>
  if !sources.IsList()
    return []
  endif
  const outcome = reason.Attempt(sources.Entries, [lines])
  return outcome[0] ? outcome[1]->mapnew((_, entry) => Listed(entry))
    : [{error: message.Shorten(outcome[1], LONGEST_REASON)}]
enddef

# Complete the path of `:ClaudeAdd`, but no later argument (`:help :command-completion-customlist`).
export def Complete(lead: string, cmdline: string, cursor: number): list<string>
  const before = strpart(cmdline, 0, cursor - len(lead))
  if before !~# '\<Claude\a\+!\=\s*$'
    return []
  endif
  const typed = substitute(lead, '\\\(.\)', '\1', 'g')
  const start = matchstr(typed, '[^/]*$')
  const folder = strpart(typed, 0, len(typed) - len(start))
  const absolute = fnamemodify(folder ==# '' ? '.' : folder, ':p')
  if !isdirectory(absolute)
    return []
  endif
  return readdir(absolute, (name) =>
    stridx(name, start) == 0 && !(start ==# '' && name[0] ==# '.'))
    # `isdirectory()` follows links.
    ->map((_, name) => fnameescape(folder .. name) .. (isdirectory(absolute .. name) ? '/' : ''))
    ->sort()
enddef

# Send the lines that an operator or a Visual selection covers; for 'operatorfunc'.
export def Send(_: string)
  execute ":'[,']ClaudeSend"
enddef

# Start the operator that mentions lines; for an `<expr>` map in Normal or Visual mode. Returns
# keys.
export def Operator(): string
  &operatorfunc = 'claude_ide#selection#mention#Send'
  return 'g@'
enddef

defcompile
