vim9script
# Tells a write by the user from an autosave.

# Which kind of autosave has caused the current BufWriteCmd, if any: "autocommand", "timer", or
# empty. A mapping or a command of a plugin that writes at once is the user's own write.
export def Cause(): string
  # The first entry of an autocommand is that of the BufWriteCmd itself.
  const around = expand('<stack>')->split('\.\.')
  if around->copy()->filter((_, entry) => entry =~# '^\a\+ Autocommands for ')->len() > 1
    return 'autocommand'
  endif
  # Timers, jobs and channels call back.
  return state('c') ==# '' ? '' : 'timer'
enddef

defcompile
