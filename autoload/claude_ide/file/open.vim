vim9script
# Opens and closes files in windows, without losing changes or interrupting the user.

import autoload './buffers.vim'
import autoload './choice.vim'
import autoload './close.vim' as file_close
import autoload './gate.vim'
import autoload './load.vim' as file_load
import autoload './passage.vim'
import autoload '../messages/reason.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'

# A value of the request; empty if Python has left it out.
def Given(request: dict<any>, key: string): string
  const value = get(request, key, '')
  return type(value) == v:t_string ? value : ''
enddef

# The same for a line; 0 if it is left out.
def LineIn(request: dict<any>, key: string): number
  const value = get(request, key, 0)
  return type(value) == v:t_number ? value : 0
enddef

# {win, note, error}, as `load.vim` has reported them.
def Shown(win: number, loaded = {note: '', error: ''}): dict<any>
  return {win: win, note: loaded.note, error: loaded.error}
enddef

# Show a buffer and give it the focus. Returns {win, note, error}.
def Enter(bufnr: number): dict<any>
  if mode() =~# "[vV\<C-v>]"
    execute "normal! \<Esc>"
  endif
  const win = choice.ToEnter(bufnr)
  silent! win_gotoid(win)
  if winbufnr(win) == bufnr
    # Add a jump for CTRL-O. Entering another buffer adds one by itself.
    normal! m'
    return Shown(win)
  endif
  return Shown(win, file_load.InWindow(win, bufnr))
enddef

# Load a buffer without giving it the focus, and show it if another window can. Returns the same;
# `win` is 0 if none shows it.
def Load(bufnr: number): dict<any>
  const win = choice.ToShow(bufnr)
  if win == 0
    return Shown(0, file_load.Hidden(bufnr))
  elseif winbufnr(win) == bufnr
    return Shown(win)
  endif
  return Shown(win, file_load.InWindow(win, bufnr))
enddef

# {found, missing} as in `passage.vim`.
def FindPassage(bufnr: number, request: dict<any>): dict<any>
  const start_text = Given(request, 'start_text')
  const line = LineIn(request, 'line')
  if start_text ==# ''
    const found = line == 0 ? {} : passage.OfLines(bufnr, line, LineIn(request, 'end_line'))
    return {found: found, missing: ''}
  endif
  final result = passage.Find(bufnr, start_text, Given(request, 'end_text'))
  if !empty(result.found) && get(request, 'select_to_end_of_line', false) == true
    result.found = passage.ToEndOfLine(bufnr, result.found)
  endif
  return result
enddef

# Sentences for the model: that the user is typing elsewhere, and what else was unexpected.
def Notes(shown: dict<any>, is_kept_away: bool, missing: string): string
  const away = 'The user is typing elsewhere; the file was opened without focus.'
  return [shown.note, is_kept_away ? away : '', missing]
    ->filter((_, note) => note !=# '')->join(' ')
enddef

def Open(request: dict<any>): dict<any>
  const path = gate.Absolute(request.path)
  const was_open = buffers.Dirty(path).isOpen
  const added = file_load.Add(path)
  if has_key(added, 'refusal')
    return {error: added.refusal}
  endif
  const bufnr: number = added.bufnr
  setbufvar(bufnr, '&buflisted', true)
  const is_frontmost = type(get(request, 'make_frontmost')) != v:t_bool || request.make_frontmost
  const has_focus = is_frontmost && choice.IsUserFree()
  const here = win_getid()
  const shown = has_focus ? Enter(bufnr) : Load(bufnr)
  if shown.error !=# ''
    return {error: shown.error}
  endif

  const passage_of = FindPassage(bufnr, request)
  const found = passage_of.found
  if !empty(found) && has_focus
    passage.Select(found)
  elseif !empty(found) && shown.win > 0 && shown.win != here
    passage.Show(shown.win, found)
  endif
  return Opened(request, path, bufnr, {
    wasOpen: was_open,
    isShown: shown.win > 0,
    missing: passage_of.missing,
    note: Notes(shown, is_frontmost && !has_focus, passage_of.missing),
  })
enddef

# The result of `OpenFile`: {path, languageId, lineCount, wasOpen, isShown}; `found` if a text was
# searched for; a `note` in sentences if anything was unexpected.
def Opened(request: dict<any>, path: string, bufnr: number, facts: dict<any>): dict<any>
  final opened = {
    path: path,
    languageId: getbufvar(bufnr, '&filetype'),
    lineCount: getbufinfo(bufnr)[0].linecount,
    wasOpen: facts.wasOpen,
    isShown: facts.isShown,
  }
  if Given(request, 'start_text') !=# ''
    opened.found = facts.missing ==# ''
  endif
  if facts.note !=# ''
    opened.note = facts.note
  endif
  return opened
enddef

# Open a file in a window, and select a passage of it. `request` has the `path`, and may have
# `make_frontmost` (whether the file gets the focus; true by default), `start_text`, `end_text` (by
# default the selection is `start_text` itself), `select_to_end_of_line`, and, without `start_text`,
# `line` and `end_line` (from 1). Returns what `Opened` does, or an `error`.
export def OpenFile(request: dict<any>): dict<any>
  const outcome = reason.Attempt(Open, [request])
  Show()
  return outcome[0] ? outcome[1] : {error: outcome[1]}
enddef

def Show()
  moment.Settle()
  screen.Draw()
enddef

# Load and list a file without showing it. Returns an error, or an empty string.
def OpenHidden(path: string): string
  const added = file_load.Add(path)
  if has_key(added, 'refusal')
    return added.refusal
  endif
  setbufvar(added.bufnr, '&buflisted', true)
  return file_load.Hidden(added.bufnr).error
enddef

# Open several files; only the first one is shown. Returns {opened, errors}: the `paths` that are
# open now, and why the others are not.
export def OpenFiles(paths: list<string>): dict<list<string>>
  final result: dict<list<string>> = {opened: [], errors: []}
  for path in paths
    const error = empty(result.opened) ? get(OpenFile({path: path}), 'error', '') : OpenHidden(path)
    if error ==# ''
      result.opened->add(path)
    else
      result.errors->add(error)
    endif
  endfor
  return result
enddef

# Close a file (`close.vim`).
export def CloseFile(path: string): dict<any>
  return file_close.CloseFile(path)
enddef

defcompile
