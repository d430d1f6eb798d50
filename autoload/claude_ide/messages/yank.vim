vim9script
# Text that the user can put: in the register that |p| uses.

# From Vim 9.2 on, functions in `v:clipproviders` can be the clipboard.
def HasClipboard(): bool
  return has('clipboard') || (exists('v:clipmethod') && eval('v:clipmethod') !=# 'none')
enddef

# With 'clipboard' this may be the clipboard.
def Register(): string
  if HasClipboard() && &clipboard =~# '\<unnamedplus\>'
    return '+'
  elseif HasClipboard() && &clipboard =~# '\<unnamed\>'
    return '*'
  endif
  return '"'
enddef

# Yank a text by characters, or by lines with `type` "l".
export def Text(text: string, type = 'v')
  setreg(Register(), text, type)
enddef

defcompile
