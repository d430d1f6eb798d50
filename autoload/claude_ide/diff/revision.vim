vim9script
# Further versions of a shown proposal, from whoever has proposed the change: each is one undo step
# in the same diff.
#
# A diff then has `states`: the states in the undo history that hold its versions, from 1. Version 0
# is the proposal itself, or the newest version when it was read again; `oldest` is that number.

import autoload '../file/edit.vim'
import autoload '../window/inside.vim'
import autoload '../file/text.vim' as file_text
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'

const GONE = -1

# The current state in the undo history of a buffer, and all states on its branch.
def History(bufnr: number): list<any>
  return eval(trim(inside.Run(bufnr, 'silent echo string([undotree().seq_cur, '
    .. 'undotree().entries->mapnew((_, entry) => entry.seq)])')))
enddef

# The number of the version that the text of a proposal is based on.
export def Version(diff: dict<any>): number
  const [current, branch] = History(diff.bufnr)
  const states: list<number> = get(diff, 'states', [])
  for index in range(len(states) - 1, 0, -1)
    if states[index] <= current && index(branch, states[index]) >= 0
      return index + 1
    endif
  endfor
  return get(diff, 'oldest', 0)
enddef

# Replace the text of a proposal; return the number of the new version.
export def Revise(diff: dict<any>, lines: list<string>): number
  const bufnr: number = diff.bufnr
  edit.Change(bufnr, lines)
  # As for the user's changes: `:q` would ask about a modified buffer.
  setbufvar(bufnr, '&modified', false)
  diff.text = file_text.Get(bufnr)
  diff.states = get(diff, 'states', []) + [History(bufnr)[0]]
  for win in win_findbuf(bufnr)
    win_execute(win, 'if &diff | diffupdate | endif')
  endfor
  screen.Draw()
  moment.Settle()
  return len(diff.states)
enddef

# The text that a proposal gets when it is read again, without a history: its newest version.
export def Newest(diff: dict<any>): list<string>
  diff.oldest = len(get(diff, 'states', []))
  diff.states = repeat([GONE], diff.oldest)
  return diff.text
enddef

defcompile
