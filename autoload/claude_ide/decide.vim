vim9script
# `:ClaudeAccept` and `:ClaudeReject`: they answer what waits for the user, which is an edit in a diff or a
# permission in the popup.

import autoload './diff.vim'
import autoload './permission.vim'
import autoload './messages/message.vim'

# Where the user is goes first, then what is longest on the screen.
def Decide(accepted: bool, why: string)
  const edit = diff.Awaiting()
  const asked = permission.Awaiting()
  if empty(asked) && empty(diff.List())
    message.Show('nothing on the screen waits for your answer', 'warn')
  elseif empty(asked) || (!empty(edit) && !asked.is_here && (edit.is_here || edit.since >= asked.since))
    diff.DecideHere(accepted, why)
  else
    call(asked.Answer, [accepted, why])
  endif
enddef

# `:ClaudeAccept`; with a bang, all edits.
export def Accept(bang: bool)
  if bang
    diff.DecideAll(true)
  else
    Decide(true, '')
  endif
enddef

# `:ClaudeReject`, with a reason; with a bang, all edits.
export def Reject(why: string, _: list<number>, bang: bool)
  if bang
    diff.DecideAll(false, why)
  else
    Decide(false, why)
  endif
enddef

defcompile
