vim9script
# A pane of the user's tmux in which the CLI runs: opened, hidden in a tmux window of its own, shown
# again. A pane is a dict: its `id`, such as `%3`, and the `pid` of the shell in it.

import autoload '../system/program.vim'

const PATIENCE = 5000 # milliseconds
# Variables that are those of the pane, or of this Vim only.
const OWN = '^\%(TERM\|COLORTERM\|MYVIMRC\|PWD\|OLDPWD\|SHLVL\|_\)$\|^TERM_PROGRAM\|^TMUX\|^N\?VIM'
# The pane closes with the script, and its output with it (`editor/typing.py` knows this text).
const KEEP_OUTPUT =
  "[ \"$code\" -eq 0 ] || { printf '\\n[exited %s; Enter closes this]' \"$code\"; read -r _; }"

def Tmux(words: list<string>): list<string>
  return [program.Find('tmux')] + words
enddef

# Run a command of tmux; return its output. Throws what tmux says if it refuses.
def Run(...words: list<string>): string
  const done = program.Run(Tmux(words), PATIENCE / 1000.0)
  if done.code != 0
    throw $'claude-ide: tmux: {trim(done.output)}'
  endif
  return trim(done.output)
enddef

# Why no pane can be opened; an empty string if one can.
export def Refusal(): string
  if $TMUX ==# '' || $TMUX_PANE ==# ''
    return 'this Vim does not run in tmux'
  endif
  return program.Find('tmux') ==# '' ? 'tmux is not on PATH' : ''
enddef

def Quoted(word: string): string
  return "'" .. substitute(word, "'", "'\\\\''", 'g') .. "'"
enddef

def IsPassed(name: string): bool
  return name =~# '^\h\w*$' && name !~# OWN
enddef

# Every user of the machine can read a command line, but not this file, which deletes itself. A pane
# gets the environment of tmux, not that of Vim.
def WriteScript(command: list<string>, env: dict<any>): string
  const exports = extendnew(environ(), env)->filter((name, _) => IsPassed(name))->items()
    ->mapnew((_, item) => $'export {item[0]}={Quoted($'{item[1]}')}')->sort()
  const run = command->mapnew((_, word) => Quoted(word))->join(' ')
  const lines = ['rm -f -- "$0"'] + exports + [run, 'code=$?', KEEP_OUTPUT]
  const path = tempname()
  writefile([], path)
  setfperm(path, 'rw-------')
  # In an item of the list, a line break would be written as NUL.
  writefile(lines->join("\n")->split("\n", true), path)
  return path
enddef

def Size(share: any): string
  return share < 1 ? $'{float2nr(share * 100)}%' : string(float2nr(share * 1.0))
enddef

# Mark a pane, so that the editor after this one finds it (`hooks/panes.py`).
export def Mark(id: string, mark: string)
  try
    Run('set-option', '-p', '-t', id, '@claude_ide', mark)
  catch /^claude-ide:/
    # The pane has closed.
  endtry
enddef

# Run a command in a new pane on the right, and go there. `env` is in addition to Vim's environment;
# `share` is of the window, or columns; `mark` is for the next editor. Throws an error if tmux
# refuses.
export def Open(command: list<string>, env: dict<any>, share: any, mark: string): dict<any>
  const script = WriteScript(command, env)
  try
    const made = Run('split-window', '-h', '-l', Size(share), '-t', $TMUX_PANE, '-c', getcwd(),
      '-P', '-F', '#{pane_id} #{pane_pid}', 'sh', script)
    const [id, pid] = split(made)
    Mark(id, mark)
    return {id: id, pid: str2nr(pid)}
  catch /^claude-ide:/
    delete(script)
    throw v:exception
  endtry
  return {}
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

def WindowOf(id: string): string
  return Run('display-message', '-p', '-t', id, '#{window_id}')
enddef

# Whether it is in the tmux window of this Vim.
export def IsShown(pane: dict<any>): bool
  return WindowOf(pane.id) ==# WindowOf($TMUX_PANE)
enddef

# Move it to a tmux window of its own, in the background.
export def Hide(pane: dict<any>)
  Run('break-pane', '-d', '-s', pane.id, '-n', 'Claude')
enddef

# Go there. If it is in another tmux window, bring it here first.
export def Focus(pane: dict<any>, share: any)
  if !IsShown(pane)
    Run('join-pane', '-h', '-l', Size(share), '-s', pane.id, '-t', $TMUX_PANE)
  endif
  Run('select-pane', '-t', pane.id)
enddef

defcompile
