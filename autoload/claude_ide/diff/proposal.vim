vim9script
# The buffer that holds a proposed text: writing it accepts, wiping it out rejects.

import autoload './decision.vim'
import autoload './revision.vim'
import autoload '../messages/plain.vim'
import autoload '../window/label.vim'

const INDENTATION = ['tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'vartabstop']
const ACCEPT_EDITS = '<Plug>(claude-accept-edits)'
const LARGEST_COLOURED = 1000000 # bytes

# We set the name's start and its end. Named `x.gpg` or `tarfile::x`, the proposal would trigger
# another plugin's autocommands, which would write it.
def LabelOf(diff: dict<any>): string
  const tail = fnamemodify(diff.where.path, ':t')
  return $'{plain.OneLine(get(diff, "agent", "Claude"))} ({plain.OneLine(tail)})'
enddef

# Make the buffer of a proposal; return its number. `Decide` gets whether the user has accepted, and
# may be called more than once.
export def New(diff: dict<any>, Decide: func(bool)): number
  const bufnr = label.NewBuffer('claude-diff', LabelOf(diff))
  decision.Fill(bufnr, diff.text, {
    Written: () => Decide(true),
    Wiped: () => Decide(false),
    Text: () => revision.Newest(diff),
  })
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
  decision.MapKeys()
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

defcompile
