vim9script
# Buffers of which `:w` writes no file: it runs a command in a proposal, a plan, a prompt; and a text
# that would otherwise be lost has no file until the user names one.

import autoload './text.vim'
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/reason.vim'
import autoload '../window/label.vim'

final handlers: dict<dict<func>> = {} # by buffer

# The kind of autosave that has caused the current BufWriteCmd: "autocommand", or "timer" for any
# callback; empty if the user writes, also by a mapping or a plugin's command.
def Cause(): string
  # An entry of an autocommand is such as `InsertLeave Autocommands for "*"`: Vim translates all but the
  # event, which is anywhere. The first one is that of the BufWriteCmd itself.
  const autocommands = expand('<stack>')->split('\.\.')->filter((_, entry) =>
    split(entry)->indexof((_, word) => word =~# '^"\?\a\+"\?$' && exists('##' .. trim(word, '"'))) >= 0)
  return len(autocommands) > 1 ? 'autocommand' : state('c') ==# '' ? '' : 'timer'
enddef

# Save a copy of a buffer, as `:write other.txt` does. Returns whether it is written.
def WriteCopy(bufnr: number, path: string): bool
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
  const cause = Cause()
  setbufvar(bufnr, '&modified', false)
  if name !=# bufname(bufnr)
    WriteCopy(bufnr, name)
  elseif cause ==# ''
    call(handlers[bufnr].Written, [])
  elseif cause ==# 'timer'
    call(handlers[bufnr].WrittenByTimer, [])
  endif
enddef

# `:x` writes only what is modified, which this never is; yet its user means to write. So may the user of `:update`,
# but maps run it, too.
def MarkForExit(bufnr: number)
  const command = matchstr(getcmdline(), '^[ \t:]*\zs\a\+\ze!\?\s*$')
  if getcmdtype() !=# ':' || get(v:event, 'abort', false)
    return
  elseif command =~# '^\%(x\%[it]\|exi\%[t]\)$'
    setbufvar(bufnr, '&modified', true)
  elseif command =~# '^up\%[date]$'
    call(handlers[bufnr].WrittenByTimer, [])
  endif
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
    execute $'autocmd QuitPre,TextChanged,TextChangedI,TextChangedP {here} setbufvar({bufnr}, "&modified", false)'
    execute $'autocmd CmdlineLeave {here} MarkForExit({bufnr})'
  augroup END
enddef

# The buffer has no file, so `:write` needs a name.
def WriteKept(bufnr: number, name: string)
  if name ==# bufname(bufnr)
    message.Show('this text has no file; `:w {file}` saves it', 'warn')
  elseif WriteCopy(bufnr, name)
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
    execute $'autocmd BufWriteCmd <buffer={bufnr}> WriteKept({bufnr}, expand("<amatch>"))'
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
