vim9script
# Keeps 'diffopt' from blocking Vim while a large diff is open: "inline:char" and "inline:word", the
# first of which is the default since 9.2, compare within lines for seconds there.

const LARGE = 100000 # bytes of the proposal

var shown = 0 # large diffs
var user_diffopt = ''
var our_diffopt = ''

def Size(text: list<string>): number
  return reduce(text, (sum, line) => sum + len(line) + 1, 0)
enddef

# A diff with this text opens. Returns whether it is a large one, for `Closed`.
export def Opened(text: list<string>): bool
  if Size(text) <= LARGE
    return false
  endif
  shown += 1
  if shown == 1
    user_diffopt = &diffopt
    const parts = split(&diffopt, ',')->filter((_, part) => part !~# '^inline:\%(char\|word\)$')
    if join(parts, ',') !=# &diffopt
      &diffopt = join(parts, ',')
    endif
    our_diffopt = &diffopt
  endif
  return true
enddef

# A large diff has closed. After the last one the user's value is restored, unless they have set
# another one since.
export def Closed()
  shown -= 1
  if shown == 0 && &diffopt ==# our_diffopt && user_diffopt !=# our_diffopt
    &diffopt = user_diffopt
  endif
enddef

defcompile
