vim9script
# `User` autocommands. Vim passes no data to them: `g:claude_ide_event` holds it while they run.

import autoload './message.vim'
import autoload './reason.vim'

augroup claude_ide_announce
augroup END

# Announce an event. An error in its autocommands is reported.
export def Event(name: string, data: dict<any>): bool
  # Vim shows a message if no autocommand matches an event, so one that does nothing always exists.
  execute $'autocmd! claude_ide_announce User {name} :'
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
