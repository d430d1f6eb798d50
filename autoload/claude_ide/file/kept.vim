vim9script
# Buffers that keep text which would otherwise be lost, until the user saves it.

import autoload './command_buffer.vim'
import autoload './text.vim'
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/reason.vim'
import autoload '../window/label.vim'

# The buffer has no file, so `:write` needs a name.
def Write(bufnr: number, name: string)
  if name ==# bufname(bufnr)
    message.Show('this text has no file; `:w {file}` saves it', 'warn')
  elseif command_buffer.WriteCopy(bufnr, name)
    setbufvar(bufnr, '&modified', false)
  endif
enddef

# Keep a text in a listed, modified buffer. `what` is subject and verb, such as "your edits are".
# Returns a message that names the buffer.
export def Keep(path: string, kept: list<string>, what: string, filetype = ''): string
  const tail = plain.OneLine(fnamemodify(path, ':t'))
  # The suffix keeps plugins from writing this buffer: no pattern such as `*.gpg` matches.
  const bufnr = label.NewBuffer('claude-kept', $'Kept ({tail})')
  text.Put(bufnr, kept)
  setbufvar(bufnr, '&buftype', 'acwrite')
  setbufvar(bufnr, '&bufhidden', 'hide')
  setbufvar(bufnr, '&buflisted', true)
  reason.Try(() => setbufvar(bufnr, '&filetype', filetype))
  setbufvar(bufnr, '&modified', true)
  augroup claude_ide_kept
    execute $'autocmd BufWriteCmd <buffer={bufnr}> Write({bufnr}, expand("<amatch>"))'
  augroup END
  return $'{tail}: {what} kept in buffer {bufnr}'
enddef

# Keep the user's edits of a proposal that is being withdrawn, if there are any.
export def KeepEdits(bufnr: number, proposed: list<string>, path: string)
  if !bufloaded(bufnr)
    return
  endif
  const now = text.Get(bufnr)
  if now !=# proposed
    message.Show(Keep(path, now, 'your edits are', getbufvar(bufnr, '&filetype')), 'warn')
  endif
enddef

defcompile
