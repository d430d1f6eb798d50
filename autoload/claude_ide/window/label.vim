vim9script
# Names for the plugin's own buffers. A plain name would be that of a file that the user may have,
# so each is a URL, which Vim keeps after `:cd` and whose folder 'autochdir' cannot enter.

var count = 0

# A name that no buffer has yet: `claude-diff://3/Claude (a.txt)`.
export def Name(kind: string, label: string): string
  count += 1
  return printf('%s://%d/%s', kind, count, substitute(label, '/', '∕', 'g'))
enddef

# Make an empty buffer with such a name, unlisted, loaded, and without a swap file. 'noswapfile'
# comes before the load: Vim cannot create a swap file for such a name.
export def NewBuffer(kind: string, label: string): number
  const bufnr = bufadd(Name(kind, label))
  setbufvar(bufnr, '&swapfile', false)
  setbufvar(bufnr, '&buftype', 'nofile')
  silent noautocmd bufload(bufnr)
  setbufvar(bufnr, '&swapfile', false)
  # `vim -R` makes all named buffers read-only.
  setbufvar(bufnr, '&readonly', false)
  return bufnr
enddef

defcompile
