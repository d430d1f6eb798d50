vim9script
# Converts a path to a URI.

# Bytewise: a composing character would be a part of the character before it. The digits are
# lower-case, as in `vim.uri_from_fname()` of Neovim.
def Encoded(byte: string): string
  return byte =~# '[A-Za-z0-9/._~!$&''()*+,;=:@-]' ? byte : printf('%%%02x', char2nr(byte))
enddef

# The URI of an absolute path.
export def OfPath(path: string): string
  return 'file://' .. range(len(path))->mapnew((_, at) => Encoded(strpart(path, at, 1)))->join('')
enddef

defcompile
