vim9script
# What the host needs to mention a file, a folder or lines of a file (`editor/mentions.py`), and how
# the user types a mention.

import autoload '../file/buffers.vim'

# Called by the host: the lines of a file in its buffer; 0 if it is not loaded.
export def LineCount(path: string): number
  const bufnr = buffers.Loaded(path)
  return bufnr > 0 ? getbufinfo(bufnr)[0].linecount : 0
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
