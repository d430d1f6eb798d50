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

def IsEncrypted(path: string): bool
  return readfile(path, 'b', 1)->get(0, '')->stridx(ENCRYPTED) == 0
enddef

# The buffer of a file, loaded or not, listed or not. Returns {bufnr}, or a `refusal` (`{path}:
# {reason}`) if there is none.
export def Add(path: string): dict<any>
  const [succeeded, known] = reason.Attempt(buffers.Lookup, [path])
  if succeeded && get(known, 'loaded', false)
    return {bufnr: known.bufnr}
  endif
  const checked = file.TextFile(path)
  if has_key(checked, 'refusal')
    return {refusal: checked.refusal}
  elseif IsEncrypted(checked.path)
    return {refusal: $'{checked.path}: it is encrypted, and Vim would ask for its key'}
  endif
  return {bufnr: succeeded && !empty(known) ? known.bufnr : bufadd(checked.path)}
enddef

def NoteSwapFile(name: string, how: string)
  const owner = get(swapinfo(name), 'pid', 0)
  note = owner > 0 ? $'{how}: process {owner} is editing the file, too.'
    : $'{how}: a crashed editor left a swap file of it (see :help recovery).'
enddef

# Only for the autocommand. If an autocommand of the user has already chosen, that choice stands. By
# default the file is opened read-only: the swap file may hold the only copy of some text.
export def ChooseAtSwapFile()
  if v:swapchoice ==# ''
    v:swapchoice = 'o'
  endif
  NoteSwapFile(v:swapname, v:swapchoice ==# 'o' ? 'Opened read-only' : 'Opened anyway')
enddef

# Only for the autocommand: show a message instead of Vim's question about a changed file. The choice of
# another autocommand wins, unless that is the question.
export def KeepText(bufnr: number)
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
    autocmd SwapExists * claude_ide#file#load#ChooseAtSwapFile()
    execute $'autocmd FileChangedShell <buffer={bufnr}> claude_ide#file#load#KeepText({bufnr})'
  augroup END
  v:errmsg = ''
  const failure = reason.Try(Load)
  autocmd! claude_ide_load
  if bufloaded(bufnr)
    return {note: note, error: failure}
  endif
  const said = failure !=# '' ? failure : reason.Of(v:errmsg)
  return {note: '', error: said !=# '' ? said : 'Vim did not load the file.'}
enddef

# Show a buffer in a window, and load it if necessary. Returns {note, error}: one sentence if there
# was a swap file or the file has changed, and one line.
export def InWindow(win: number, bufnr: number): dict<string>
  # A failing autocommand shows no error, and does not prevent the next ones from running.
  const outcome = WithoutDialog(bufnr, () => win_execute(win, $'silent! buffer {bufnr}', 'silent!'))
  if outcome.error ==# '' && !(tiling.Has(win) && winbufnr(win) == bufnr)
    const failed = reason.Of(v:errmsg)
    return {note: '', error: failed !=# '' ? failed : 'an autocommand opened something else'}
  endif
  return outcome
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
