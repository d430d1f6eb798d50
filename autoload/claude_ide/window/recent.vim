vim9script
# Sorts buffers by their last use, more precisely than Vim's 'lastused', which has whole seconds.

const STEP = 0.000001

# By buffer: seconds since the epoch, which grow with each entry, also within a second.
final entered: dict<float> = {}
var latest = 0.0
var is_watching = false

def Enter(bufnr: number)
  const now = localtime() + 0.0
  latest = (now > latest ? now : latest) + STEP
  entered[bufnr] = latest
enddef

# Start or stop recording when buffers are entered.
export def Watch(on: bool)
  filter(entered, (_, _) => false)
  is_watching = on
  augroup claude_ide_usage
    autocmd!
    if on
      autocmd BufEnter * Enter(str2nr(expand('<abuf>')))
      autocmd BufWipeout * Forget(expand('<abuf>'))
    endif
  augroup END
enddef

def Forget(bufnr: string)
  if has_key(entered, bufnr)
    remove(entered, bufnr)
  endif
enddef

# When a buffer was used, in seconds; the current one counts as the latest.
def Used(bufnr: number, here: number): float
  if bufnr == here
    return 1.0e12
  endif
  if has_key(entered, bufnr)
    return entered[bufnr]
  endif
  const used = getbufinfo(bufnr)[0].lastused + 0.0
  if is_watching
    # It changes only when the buffer is entered; getbufinfo() lists every sign of the buffer, too.
    entered[bufnr] = used
  endif
  return used
enddef

# Sort buffers, most recently used first; returns a new list.
export def Sort(bufnrs: list<number>): list<number>
  const here = bufnr()
  final used: dict<float> = {}
  for bufnr in bufnrs
    used[bufnr] = Used(bufnr, here)
  endfor
  return copy(bufnrs)->sort((a, b) =>
    used[a] > used[b] ? -1 : used[a] < used[b] ? 1 : a - b)
enddef

defcompile
