vim9script
# `User` autocommands. Vim passes no data to them: `g:claude_ide_event` holds it while they run.

import autoload './message.vim'
import autoload './reason.vim'

var known: dict<bool> = {} # the names of events that have been announced

# Vim shows a message if no autocommand matches an event, and `exists()` ignores patterns, so one
# that does nothing always exists.
def Introduce(name: string)
  if !has_key(known, name)
    known[name] = true
    augroup claude_ide_announce
      execute $'autocmd User {name} :'
    augroup END
  endif
enddef

# Announce an event. An error in its autocommands is reported.
export def Event(name: string, data: dict<any>): bool
  Introduce(name)
  const outer = get(g:, 'claude_ide_event', {})
  g:claude_ide_event = data
  const failure = reason.Try(() => execute($'doautocmd <nomodeline> User {name}'))
  if empty(outer)
    unlet! g:claude_ide_event
  else
    g:claude_ide_event = outer
  endif
  if failure !=# ''
    message.Show($'{name}: {failure}', 'warn')
  endif
  return true
enddef

defcompile
