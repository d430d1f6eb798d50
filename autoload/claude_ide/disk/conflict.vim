vim9script
# Unsaved changes that are not based on the current text of their file.

var conflicts: dict<bool> = {} # by buffer

# Record that a buffer has such changes, until it is read, written or unloaded.
export def Remember(bufnr: number)
  conflicts[bufnr] = true
  augroup claude_ide_conflict
    execute $'autocmd! BufReadPost,BufWritePost,BufUnload <buffer={bufnr}> ++once claude_ide#disk#conflict#Forget({bufnr})'
  augroup END
enddef

# Record that a buffer has none.
export def Forget(bufnr: number)
  if has_key(conflicts, bufnr)
    conflicts->remove(bufnr)
  endif
enddef

# Whether a buffer has such changes.
export def Has(bufnr: number): bool
  return has_key(conflicts, bufnr)
enddef
