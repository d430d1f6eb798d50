vim9script
# What the host needs to type prompts into terminals (`editor/typing.py`).

# Called by the host: the lowest rows of a terminal, without empty ones below; none once its program
# has ended.
export def Read(bufnr: number, most: number): list<string>
  if !bufexists(bufnr) || term_getstatus(bufnr) !~# 'running'
    return []
  endif
  # In Terminal-Normal mode the buffer stays as it was.
  var rows = term_getstatus(bufnr) !~# 'normal' ? getbufline(bufnr, 1, '$')
    : range(1, term_getsize(bufnr)[0])->mapnew((_, row) => term_getline(bufnr, row))
  while len(rows) > 1 && rows[-1] ==# ''
    rows->remove(-1)
  endwhile
  return rows[- most :]
enddef

# Called by the host: send keys to a terminal if it still shows these rows. Otherwise a dialog could
# get them.
export def Press(bufnr: number, keys: string, seen: list<string>): bool
  if empty(seen) || Read(bufnr, len(seen)) != seen
    return false
  endif
  ch_sendraw(term_getjob(bufnr), keys)
  return true
enddef

defcompile
