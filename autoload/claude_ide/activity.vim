vim9script
# Knows when anything that a status line shows has changed.

var OnChangeFn: func = () => 0
var is_due = false
var version = 0

# Call `Fn` soon after something has changed; many changes at once are one.
export def OnChange(Fn: func)
  OnChangeFn = Fn
enddef

# Something that a status line shows may have changed.
export def Changed()
  version += 1
  if !is_due
    is_due = true
    timer_start(0, (_) => {
      is_due = false
      call(OnChangeFn, [])
    })
  endif
enddef

# How often something has changed.
export def Version(): number
  return version
enddef
