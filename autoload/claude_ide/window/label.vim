vim9script
scriptencoding utf-8
# Names for the plugin's own buffers. A plain name would be that of a file that the user may have,
# so each is a URL, which Vim keeps after `:cd` and whose folder 'autochdir' cannot enter.

var count = 0
final made: dict<bool> = {} # the buffers that this Vim has made

# A name that no buffer has yet, not even one that a session has restored:
# `claude-diff://3/Claude (a.txt)`.
export def Name(kind: string, label: string): string
  count += 1
  const name = printf('%s://%d/%s', kind, count, substitute(label, '/', '∕', 'g'))
  return bufexists(name) ? Name(kind, label) : name
enddef

# Whether a session has restored the buffer: it has such a name, and this Vim has not made it.
export def IsRestored(bufnr: number): bool
  return bufname(bufnr) =~# '^claude-\%(diff\|kept\)://' && !has_key(made, bufnr)
enddef

# Whether a buffer of this kind exists that this Vim has made.
export def IsInUse(kind: string): bool
  return keys(made)->indexof((_, bufnr) => bufname(str2nr(bufnr)) =~# $'^{kind}://') >= 0
enddef

# Make an empty buffer with such a name, unlisted, loaded, and without a swap file. 'noswapfile'
# comes before the load: Vim cannot create a swap file for such a name.
export def NewBuffer(kind: string, label: string): number
  const bufnr = bufadd(Name(kind, label))
  made[bufnr] = true
  setbufvar(bufnr, '&swapfile', false)
  setbufvar(bufnr, '&buftype', 'nofile')
  silent noautocmd bufload(bufnr)
  setbufvar(bufnr, '&swapfile', false)
  # `vim -R` makes all named buffers read-only, `vim -M` makes all 'nomodifiable'.
  setbufvar(bufnr, '&readonly', false)
  setbufvar(bufnr, '&modifiable', true)
  return bufnr
enddef

defcompile
