vim9script
# A buffer in which `:w` runs a command instead of writing a file: a proposal, a plan, a prompt.

import autoload './text.vim'
import autoload '../say/message.vim'
import autoload '../say/reason.vim'

final handlers: dict<func> = {} # by buffer

# Save a copy of a buffer, as `:write other.txt` does. Returns whether it is written.
export def WriteCopy(bufnr: number, path: string): bool
  const failure = reason.Try(() => writefile(text.Get(bufnr), path, 'b'))
  if failure !=# ''
    message.Show($'cannot write {path}: {failure}', 'error')
  endif
  return failure ==# ''
enddef

# Whether another autocommand writes, such as one for InsertLeave: an autosave, and not the user.
def IsAutosave(): bool
  const around = expand('<stack>')->split('\.\.')
  return around->copy()->filter((_, entry) => entry =~# '^\a\+ Autocommands for ')->len() > 1
enddef

def Write(bufnr: number, name: string)
  setbufvar(bufnr, '&modified', false)
  if name !=# bufname(bufnr)
    WriteCopy(bufnr, name)
  elseif !IsAutosave()
    call(handlers[bufnr], [])
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

# Call `Written` whenever the user writes a buffer. The buffer is never modified from now on: it
# would keep `:q` and `:qa` from leaving, and an autosave would write it.
export def Listen(bufnr: number, Written: func)
  handlers[bufnr] = Written
  const here = $'<buffer={bufnr}>'
  augroup claude_ide_command_buffer
    execute $'autocmd BufWriteCmd {here} Write({bufnr}, expand("<amatch>"))'
    execute $'autocmd BufWipeout {here} handlers->remove({bufnr})'
    execute $'autocmd QuitPre,TextChanged,TextChangedI,TextChangedP {here} Unmodify({bufnr})'
    execute $'autocmd CmdlineLeave {here} MarkForExit({bufnr})'
  augroup END
enddef

defcompile
