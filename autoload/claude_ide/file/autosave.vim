vim9script
# Tells a write by the user from an autosave.

# Whether an entry of the stack is an autocommand, such as `InsertLeave Autocommands for "*"`: Vim
# translates all but the event, which is anywhere.
def IsAutocommand(entry: string): bool
  return split(entry)->indexof((_, word) =>
    word =~# '^"\?\a\+"\?$' && exists('##' .. trim(word, '"'))) >= 0
enddef

# The kind of autosave that has caused the current BufWriteCmd: "autocommand", or "timer" for any
# callback; empty if the user writes, also by a mapping or a plugin's command.
export def Cause(): string
  # The first entry of an autocommand is that of the BufWriteCmd itself.
  const around = expand('<stack>')->split('\.\.')
  if around->copy()->filter((_, entry) => IsAutocommand(entry))->len() > 1
    return 'autocommand'
  endif
  return state('c') ==# '' ? '' : 'timer'
enddef

defcompile
