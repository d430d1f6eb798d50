vim9script
# Sorts buffers by their last use, more precisely than Vim's 'lastused', which has whole seconds.

const STEP = 0.000001

# By buffer: seconds since the epoch, which grow with each entry, also within a second.
final used: dict<float> = {}
var latest = 0.0

def Enter(bufnr: number)
  const now = localtime() + 0.0
  latest = (now > latest ? now : latest) + STEP
  used[bufnr] = latest
enddef

augroup claude_ide_usage
  autocmd!
  autocmd BufEnter * Enter(str2nr(expand('<abuf>')))
augroup END

# Sort buffers, most recently used first; returns a new list.
export def Sort(bufnrs: list<number>): list<number>
  for bufnr in bufnrs
    if !has_key(used, bufnr)
      # It changes only when the buffer is entered; getbufinfo() lists every sign of the buffer, too.
      used[bufnr] = getbufinfo(bufnr)[0].lastused + 0.0
    endif
  endfor
  const here = bufnr()
  return copy(bufnrs)->sort((a, b) => {
    const [first, second] = [a == here ? 1.0e12 : used[a], b == here ? 1.0e12 : used[b]]
    return first > second ? -1 : first < second ? 1 : a - b
  })
enddef

defcompile
