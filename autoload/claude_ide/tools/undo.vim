vim9script
# The model's questions about the undo history of a buffer. The buffer itself stays as it is: states
# are restored in a copy.

import autoload './bounded.vim'
import autoload './place.vim'
import autoload '../window/inside.vim'

const LARGEST = 500000 # bytes of the text, whose states are restored in a few milliseconds

# What the functions called inside a buffer have read, for their callers.
var tree: dict<any> = {}
var texts: list<string> = []

def Loaded(path: string): number
  return place.OpenBuffer(path, ', so it has no undo history')
enddef

# Called in a buffer. Before 9.1 `undotree()` knows only the current one.
export def Look()
  tree = undotree()
enddef

def TreeOf(bufnr: number): dict<any>
  inside.Run(bufnr, 'call claude_ide#tools#undo#Look()')
  return tree
enddef

# `branch` is how many branches away from the current text the entries are.
def Collect(entries: list<dict<any>>, branch: number, into: list<dict<any>>)
  for entry in entries
    final state = {state: entry.seq, time: entry.time, branch: branch}
    if has_key(entry, 'save')
      state.save = entry.save
    endif
    into->add(state)
    Collect(get(entry, 'alt', []), branch + 1, into)
  endfor
enddef

# The states of a buffer's text, the oldest one first.
export def History(arguments: dict<any>): dict<any>
  final states: list<dict<any>> = []
  TreeOf(Loaded(arguments.file))
  Collect(tree.entries, 0, states)
  states->sort((one, other) => one.state - other.state)
  const total = len(states)
  const last: number = total - arguments.offset
  const first: number = max([0, last - arguments.limit])
  return {
    total: total,
    current: tree.seq_cur,
    now: localtime(),
    states: last > first ? states[first : last - 1] : [],
  }
enddef

def Text(): string
  return getline(1, '$')->map((_, line) => bounded.Visible(line))->join("\n") .. "\n"
enddef

# Called in a copy: its text in each of some states. Without a history there is no file with it.
export def Restore(path: string, states: list<number>)
  setlocal undolevels=1000
  const has_history = filereadable(path)
  if has_history
    execute 'silent rundo' fnameescape(path)
  endif
  texts = []
  for state in states
    if has_history
      execute 'silent undo' state
    endif
    texts->add(Text())
  endfor
enddef

# The texts of a buffer in some states, from a copy that has the same undo history.
def TextsOf(bufnr: number, states: list<number>): list<string>
  const path = tempname()
  const copy = popup_create(getbufline(bufnr, 1, '$'), {hidden: true})
  try
    inside.Run(bufnr, $'silent noautocmd wundo! {fnameescape(path)}')
    const arguments = $'{string(path)}, {string(states)}'
    win_execute(copy, $'noautocmd call claude_ide#tools#undo#Restore({arguments})')
  finally
    popup_close(copy)
    delete(path)
  endtry
  return texts
enddef

def Check(state: number, last: number)
  if state < 0 || state > last
    throw $'claude-ide: there is no state {state}; they are 0 to {last}'
  endif
enddef

# The texts of two states, which the host compares.
export def Diff(arguments: dict<any>): dict<any>
  const bufnr = Loaded(arguments.file)
  TreeOf(bufnr)
  const from: number = arguments.from
  const to: number = get(arguments, 'to', tree.seq_cur)
  Check(from, tree.seq_last)
  Check(to, tree.seq_last)
  if getbufline(bufnr, 1, '$')->join("\n")->len() > LARGEST
    throw 'claude-ide: the text is too large to compare'
  endif
  const [older, newer] = TextsOf(bufnr, [from, to])
  return {from: from, to: to, older: older, newer: newer}
enddef

defcompile
