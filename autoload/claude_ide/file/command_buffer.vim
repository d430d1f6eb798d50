vim9script
# A buffer in which `:w` runs a command instead of writing a file: a proposal, a plan, a prompt.

import autoload './autosave.vim'
import autoload './text.vim'
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'

final handlers: dict<dict<func>> = {} # by buffer

# Save a copy of a buffer, as `:write other.txt` does. Returns whether it is written.
export def WriteCopy(bufnr: number, path: string): bool
  const lines = text.Get(bufnr)
  var failure = reason.Try(() => writefile(lines, path, 'b'))
  # Vim ignores the error of a full disk when it closes the file.
  if failure ==# '' && getftype(path) ==# 'file' && getfsize(path) != len(join(lines, "\n"))
    failure = 'the file is incomplete; the disk may be full'
  endif
  if failure !=# ''
    message.Show($'cannot write {path}: {failure}', 'error')
  endif
  return failure ==# ''
enddef

def Write(bufnr: number, name: string)
  const cause = autosave.Cause()
  setbufvar(bufnr, '&modified', false)
  if name !=# bufname(bufnr)
    WriteCopy(bufnr, name)
  elseif cause ==# ''
    call(handlers[bufnr].Written, [])
  elseif cause ==# 'timer'
    call(handlers[bufnr].WrittenByTimer, [])
  endif
enddef

# `:x` writes only what is modified, which this never is; yet its user means to write.
def MarkForExit(bufnr: number)
  const is_exit = getcmdline() =~# '^[ \t:]*\%(x\%[it]\|exi\%[t]\)!\?\s*$'
  if is_exit && getcmdtype() ==# ':' && !get(v:event, 'abort', false)
    setbufvar(bufnr, '&modified', true)
  endif
enddef

def Unmodify(bufnr: number)
  setbufvar(bufnr, '&modified', false)
enddef

# Call `Written` whenever the user writes a buffer, and `WrittenByTimer` when the callback of a
# plugin does. The buffer is never modified from now on: it would keep `:q` and `:qa` from leaving,
# and an autosave would write it.
export def Listen(bufnr: number, Written: func, WrittenByTimer: func)
  handlers[bufnr] = {Written: Written, WrittenByTimer: WrittenByTimer}
  const here = $'<buffer={bufnr}>'
  augroup claude_ide_command_buffer
    execute $'autocmd BufWriteCmd {here} Write({bufnr}, expand("<amatch>"))'
    execute $'autocmd BufWipeout {here} handlers->remove({bufnr})'
    execute $'autocmd QuitPre,TextChanged,TextChangedI,TextChangedP {here} Unmodify({bufnr})'
    execute $'autocmd CmdlineLeave {here} MarkForExit({bufnr})'
  augroup END
enddef

defcompile
