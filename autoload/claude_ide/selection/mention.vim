vim9script
# What the host needs to mention a file, a folder or lines of a file (`editor/mentioning.py`), and how
# the user types a mention.

import autoload '../file/buffers.vim'
import autoload '../file/path.vim' as file
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload './sources.vim'

const LONGEST_REASON = 200 # columns

# Called by the host: the current folder; the file of a buffer (0: the current one), and what `%` with
# modifiers means, both empty without a file.
export def Facts(bufnr: number, modifiers: string): dict<string>
  return {
    folder: getcwd(),
    file: file.Path(bufnr == 0 ? bufnr() : bufnr),
    current: file.Path(bufnr()) ==# '' ? '' : expand('%:p' .. modifiers .. ':p'),
  }
enddef

# Called by the host: the lines of a file in its buffer; 0 if it is not loaded.
export def LineCount(path: string): number
  const bufnr = buffers.Loaded(path)
  return bufnr > 0 ? getbufinfo(bufnr)[0].linecount : 0
enddef

# What the user means in a buffer that lists files: entries (`sources.vim`), or one with an `error`;
# empty if files are not listed in the current buffer. `lines` has the range of the command, if it has
# one.
export def Listed(lines: list<number>): list<dict<any>>
  if !sources.IsList()
    return []
  endif
  const outcome = reason.Attempt(sources.Entries, [lines])
  return outcome[0] ? outcome[1] : [{error: message.Shorten(outcome[1], LONGEST_REASON)}]
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
