vim9script
# Commands and maps of the review.

import autoload './channel.vim'
import autoload './file/load.vim'
import autoload './messages/message.vim'
import autoload './review/overlay.vim'

var pending = '' # the command of the operator

# Know to whom a review can be sent. The host calls this.
export def KnowRecipients(names: list<string>)
  claude_ide#arguments#KnowRecipients(names)
enddef

# Show a file in the current window, with the cursor in a row.
export def Go(path: string, row: number): bool
  const added = load.Add(path)
  if has_key(added, 'refusal')
    throw added.refusal
  endif
  setbufvar(added.bufnr, '&buflisted', true)
  const failure = load.InWindow(win_getid(), added.bufnr)
  if has_key(failure, 'refusal')
    throw failure.refusal
  endif
  cursor(min([row + 1, line('$')]), 1)
  normal! zv
  return true
enddef

# Go to the next hunk, or to the [count]th; from the last one to the next file that waits.
export def Move(direction: number)
  if !overlay.Go(direction, v:count1)
    channel.Emit('review_moved', {bufnr: bufnr(), direction: direction})
  endif
enddef

# Keep or revert the hunks in the operator's lines, or [count] hunks from the cursor on.
export def Operate(_: string)
  const first = line("'[")
  # On an empty line the motion ends before it.
  execute $':{first},{max([first, line("']")])}{pending}'
enddef

# Keep or revert hunks; for an `<expr>` map in Normal or Visual mode. `.` repeats it.
export def Operator(command: string): string
  const is_visual = mode() =~# "^[vV\<C-v>]"
  pending = $'{command} {is_visual ? "lines" : v:count1}'
  &operatorfunc = 'claude_ide#review#Operate'
  return is_visual ? 'g@' : 'g@l'
enddef

# Show all removed lines of the hunk at the cursor, or fold them again.
export def Show()
  if !overlay.Unfold()
    message.Show('no unreviewed change here', 'info')
  endif
enddef

defcompile
