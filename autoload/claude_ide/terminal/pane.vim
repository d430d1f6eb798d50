vim9script
# A pane of the user's tmux in which a CLI runs, which the host has opened (`hooks/panes.py`): hidden
# in a tmux window of its own, shown again. It is a dict: its `id`, such as `%3`, and the `pid` of the
# shell in it.

import autoload '../system/program.vim'

const LIMIT = 5.0 # seconds

# Run a command of tmux; return its output. Throws what tmux says if it refuses.
def Run(...words: list<string>): string
  const done = program.Run([program.Find('tmux')] + words, LIMIT)
  if done.code != 0
    throw $'claude-ide: tmux: {trim(done.output)}'
  endif
  return trim(done.output)
enddef

# Whether its CLI runs, or the pane still shows why it does not.
export def IsAlive(pane: dict<any>): bool
  return program.IsAlive(pane.pid)
enddef

# Whether tmux still has it. Its process may outlive it for a moment.
export def Exists(pane: dict<any>): bool
  try
    # Without the pane, older versions of tmux print an empty text.
    return Run('display-message', '-p', '-t', pane.id, '#{pane_pid}') ==# string(pane.pid)
  catch /^claude-ide:/
    # tmux has no such pane.
  endtry
  return false
enddef

# Whether it is in the tmux window of this Vim.
export def IsShown(pane: dict<any>): bool
  const [its, ours] = [pane.id, $TMUX_PANE]
    ->mapnew((_, id) => Run('display-message', '-p', '-t', id, '#{window_id}'))
  return its ==# ours
enddef

# Move it to a tmux window of its own, in the background.
export def Hide(pane: dict<any>)
  Run('break-pane', '-d', '-s', pane.id, '-n', 'Claude')
enddef

# Go there. If it is in another tmux window, bring it here first. `size` is a share of the window below
# 1, else columns.
export def Focus(pane: dict<any>, size: any)
  if !IsShown(pane)
    const length = size < 1 ? $'{float2nr(size * 100)}%' : string(float2nr(size * 1.0))
    Run('join-pane', '-h', '-l', length, '-s', pane.id, '-t', $TMUX_PANE)
  endif
  Run('select-pane', '-t', pane.id)
enddef

defcompile
