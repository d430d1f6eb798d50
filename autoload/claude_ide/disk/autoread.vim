vim9script
# The user's setting of 'autoread', and its suspension while we follow a write ourselves.

const UNSET = -1

var suspended: dict<number> = {} # by buffer; its local value

# Vim9 script shows "unset" as true. Where the global value is on, too, the two need not be told
# apart.
def OwnValue(bufnr: number): number
  if !getbufvar(bufnr, '&l:autoread')
    return 0
  endif
  return getbufvar(bufnr, '&autoread') && !&g:autoread ? 1 : UNSET
enddef

# The value that the user has set, locally or globally.
export def IsOn(bufnr: number): bool
  const own = get(suspended, bufnr, UNSET)
  if has_key(suspended, bufnr)
    return own == UNSET ? &g:autoread : own == 1
  endif
  return getbufvar(bufnr, '&autoread')
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
