vim9script
# The buffer that holds a proposed text: writing it accepts, wiping it out rejects. It can get further
# versions of the text, from whoever has proposed the change: each is one undo step.
#
# A diff then has `states`: the states in the undo history that hold its versions, from 1. Version 0
# is the proposal itself, or the newest version when it was read again; `oldest` is that number.

import autoload '../file/command_buffer.vim'
import autoload '../file/edit.vim'
import autoload '../file/text.vim' as file_text
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/inside.vim'
import autoload '../window/label.vim'

const INDENTATION = ['tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop']
const ACCEPT_EDITS = '<Plug>(claude-accept-edits)'
const LARGEST_COLOURED = 1000000 # bytes
const GONE = -1
const OPTIONS = [['buftype', 'acwrite'], ['bufhidden', 'wipe'], ['fileencoding', 'utf-8'],
  ['modified', false], ['modifiable', false]]

final proposals: dict<dict<any>> = {} # the diffs by buffer

# Put the newest version into a proposal that is read again, which has no history then but for the text before.
def Restore(bufnr: number)
  final diff = proposals[bufnr]
  diff.oldest = len(get(diff, 'states', []))
  diff.states = repeat([GONE], diff.oldest)
  const parsed = file_text.Parse(diff.text)
  file_text.Put(bufnr, diff.last)
  edit.Change(bufnr, parsed.lines)
  file_text.SetOptions(bufnr, file_text.FORMAT, parsed)
  setbufvar(bufnr, '&modified', false)
enddef

def Explain(bufnr: number)
  if !get(proposals[bufnr], 'is_explained', false)
    proposals[bufnr].is_explained = true
    message.Show('nothing was accepted: type :w yourself (:update and plugins accept nothing)', 'warn')
  endif
enddef

# Make the buffer of a proposal, with its text; return its number. `Decide` gets whether the user has
# accepted, and may be called more than once. The buffer stays 'nomodifiable' until the caller unlocks it.
export def Propose(diff: dict<any>, Decide: func(bool)): number
  # We set the name's start and its end. Named `x.gpg` or `tarfile::x`, the proposal would trigger
  # another plugin's autocommands, which would write it.
  const [agent, tail] = [get(diff, 'agent', 'Claude'), fnamemodify(diff.where.path, ':t')]
  const bufnr = label.NewBuffer('claude-diff', plain.OneLine($'{agent} ({tail})'))
  diff.Decide = Decide
  proposals[bufnr] = diff
  file_text.Put(bufnr, diff.text)
  for [name, value] in OPTIONS
    setbufvar(bufnr, '&' .. name, value)
  endfor
  command_buffer.Listen(bufnr, () => Decide(true), () => Explain(bufnr))
  augroup claude_ide_decision
    execute $'autocmd BufUnload <buffer={bufnr}> proposals[{bufnr}].last = file_text.Get({bufnr})'
    execute $'autocmd BufReadCmd <buffer={bufnr}> Restore({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> call(remove(proposals, {bufnr}).Decide, [false])'
  augroup END
  return bufnr
enddef

# Give the current buffer the filetype of a diff's file, whose own buffer is `original`.
export def SetFiletype(diff: dict<any>, original: number)
  if reduce(diff.text, (sum, line) => sum + len(line) + 1, 0) > LARGEST_COLOURED
    return
  endif
  const filetype = getbufvar(original, '&filetype')
  if filetype !=# ''
    execute 'silent! setlocal filetype=' .. filetype
  else
    # By its name, and by its text.
    execute 'silent! doautocmd <nomodeline> filetypedetect BufRead' fnameescape(diff.path)
  endif
enddef

# Set the filetype and indentation of the current buffer, the proposal, to those of its file.
# `original` is the file's own buffer, or the one shown in its place.
export def MatchFile(diff: dict<any>, original: number)
  # By itself it would only write what is modified.
  nnoremap <buffer> ZZ <Cmd>write<CR>
  diff.accepts_edits_by = hasmapto(ACCEPT_EDITS, 'n') ? '' : 'gA'
  if diff.accepts_edits_by !=# ''
    execute 'nmap <buffer> <nowait>' diff.accepts_edits_by ACCEPT_EDITS
  endif
  SetFiletype(diff, original)
  if getbufvar(original, '&buftype') ==# ''
    for name in INDENTATION
      setbufvar(diff.bufnr, '&' .. name, getbufvar(original, '&' .. name))
    endfor
  endif
  # A filetype plugin may have set these.
  setlocal bufhidden=wipe noswapfile nomodified nomodifiable nobuflisted
enddef

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

defcompile
