vim9script
# The user's setting of 'autoread', and its suspension while we follow a write ourselves.

const UNSET = -1

var suspended: dict<number> = {} # by buffer; its local value
# Whether the user has set the global value by a typed command, of which Vim keeps no record.
var was_typed = false

# Vim9 script shows "unset" as true. Where the global value is on, too, the two need not be told
# apart.
def OwnValue(bufnr: number): number
  if !getbufvar(bufnr, '&l:autoread')
    return 0
  endif
  return getbufvar(bufnr, '&autoread') && !&g:autoread ? 1 : UNSET
enddef

# Only for the autocommand, which `plugin/claude_ide.vim` defines: the user may set the option before
# a server starts.
export def NoteTyped()
  if v:option_command ==# 'set' || v:option_command ==# 'setglobal'
    was_typed = true
  endif
enddef

# Off is Vim's default; only users who have switched it off do not want their files to be followed.
# Under the value, `:verbose` names the script that has set it.
def IsGlobalOn(): bool
  return &g:autoread
    || (!was_typed && execute('verbose setglobal autoread?')->split("\n")->len() == 1)
enddef

# Whether the user wants buffers to follow their files: unless 'autoread' is switched off.
export def IsOn(bufnr: number): bool
  const own = has_key(suspended, bufnr) ? suspended[bufnr] : OwnValue(bufnr)
  return own == UNSET ? IsGlobalOn() : own == 1
enddef

# Keep Vim from reloading a buffer automatically, until `Resume`.
export def Suspend(bufnr: number)
  suspended[bufnr] = OwnValue(bufnr)
  setbufvar(bufnr, '&autoread', 0)
enddef

# Restore the user's setting. A value that the user has set in the meantime stays.
export def Resume(bufnr: number)
  if has_key(suspended, bufnr)
    const own = suspended->remove(bufnr)
    if bufexists(bufnr) && !getbufvar(bufnr, '&l:autoread')
      setbufvar(bufnr, '&autoread', own)
    endif
  endif
enddef

defcompile
