vim9script
# Loads files into buffers, without asking the user anything.

import autoload './buffers.vim'
import autoload './path.vim' as file
import autoload '../messages/message.vim'
import autoload '../messages/reason.vim'
import autoload '../window/tiling.vim'

# Values of `v:fcs_reason` that mean that another program has written the file.
const CHANGED = ['changed', 'conflict']
# The first bytes of a file for which Vim asks for a key.
const ENCRYPTED = 'VimCrypt~'

var note = ''

# The buffer of a file, loaded or not, listed or not. Returns {bufnr}, or a `refusal` (`{path}:
# {reason}`) if there is none.
export def Add(path: string): dict<any>
  const [succeeded, known] = reason.Attempt(buffers.Lookup, [path])
  if succeeded && get(known, 'loaded', false)
    return {bufnr: known.bufnr}
  endif
  const checked = file.Check(path, true, true)
  if has_key(checked, 'refusal')
    return checked
  elseif readfile(checked.path, 'b', 1)->get(0, '')->stridx(ENCRYPTED) == 0
    return {refusal: $'{checked.path}: it is encrypted, and Vim would ask for its key'}
  endif
  return {bufnr: succeeded && !empty(known) ? known.bufnr : bufadd(checked.path)}
enddef

def NoteSwapFile(name: string, how: string)
  const owner = get(swapinfo(name), 'pid', 0)
  note = owner > 0 ? $'{how}: process {owner} is editing the file, too.'
    : $'{how}: a crashed editor left a swap file of it (see :help recovery).'
enddef

# If an autocommand of the user has already chosen, that choice stands. By default the file is opened
# read-only: the swap file may hold the only copy of some text.
def ChooseAtSwapFile()
  v:swapchoice = v:swapchoice ?? 'o'
  NoteSwapFile(v:swapname, v:swapchoice ==# 'o' ? 'Opened read-only' : 'Opened anyway')
enddef

# Show a message instead of Vim's question about a changed file. The choice of another autocommand wins, unless
# that is the question.
def KeepText(bufnr: number)
  if CHANGED->index(v:fcs_reason) < 0 || ['', 'ask']->index(v:fcs_choice) < 0
    return
  endif
  v:fcs_choice = ''
  const name = fnamemodify(file.Name(bufnr), ':t')
  message.Show($'{name} has changed on disk; `:edit` reads it', 'warn')
  note = $'{name} has changed on disk since Vim read it; the older text is shown.'
enddef

# Call `Load`, which loads a buffer. A swap file or a changed file opens no dialog: it would wait
# for a key, and `:silent` would hide what it asks. Returns {note, error}, each one line or empty.
def WithoutDialog(bufnr: number, Load: func): dict<string>
  note = ''
  augroup claude_ide_load
    autocmd SwapExists * ChooseAtSwapFile()
    execute $'autocmd FileChangedShell <buffer={bufnr}> KeepText({bufnr})'
  augroup END
  v:errmsg = ''
  const failure = reason.Try(Load)
  autocmd! claude_ide_load
  if bufloaded(bufnr)
    return {note: note, error: failure}
  endif
  return {note: '', error: failure ?? reason.Of(v:errmsg) ?? 'Vim did not load the file.'}
enddef

# Show a buffer in a window, and load it if necessary. Returns {note, error}: one sentence if there
# was a swap file or the file has changed, and one line.
export def InWindow(win: number, bufnr: number): dict<string>
  # A failing autocommand shows no error, and does not prevent the next ones from running.
  const outcome = WithoutDialog(bufnr, () => win_execute(win, $'silent! buffer {bufnr}', 'silent!'))
  const is_shown = tiling.Has(win) && winbufnr(win) == bufnr
  return outcome.error !=# '' || is_shown ? outcome
    : {note: '', error: reason.Of(v:errmsg) ?? 'an autocommand opened something else'}
enddef

# `bufload()` ignores a swap file: no autocommand runs, and ours gets another name.
def LoadHidden(bufnr: number)
  execute $'silent! call bufload({bufnr})'
  const own = swapname(bufnr)
  const other = strpart(own, 0, len(own) - 1) .. 'p'
  if own !=# '' && own !=# other && filereadable(other)
    setbufvar(bufnr, '&readonly', true)
    NoteSwapFile(other, 'Opened read-only')
  endif
enddef

# Load a buffer without showing it. Returns the same.
export def Hidden(bufnr: number): dict<string>
  return bufloaded(bufnr) ? {note: '', error: ''} : WithoutDialog(bufnr, () => LoadHidden(bufnr))
enddef

defcompile
