vim9script
# Notifies language servers, autocommands and linters that a buffer has been updated from its file.

import autoload './texts.vim'
import autoload '../file/path.vim' as file
import autoload '../file/disk.vim'
import autoload '../messages/announce.vim'

const WRITTEN = 'ClaudeFileWritten'

# The buffers that Vim has read since messages and timers were last handled.
final read: dict<bool> = {}
var is_firing = false

# Report that a loaded buffer holds the text that has just been written to its file.
export def Report(bufnr: number)
  is_firing = true
  disk.MarkReporting(true)
  try
    texts.Expect(bufnr)
  finally
    is_firing = false
    disk.MarkReporting(false)
  endtry
  announce.Event(WRITTEN, {path: file.Name(bufnr), bufnr: bufnr})
enddef

def OnRead(bufnr: string)
  read[bufnr] = true
  timer_start(0, (_) => filter(read, (_, _) => false))
enddef

# This event also occurs if the user has chosen to keep the buffer's text.
def OnPost(bufnr: string)
  if !is_firing && has_key(read, bufnr)
    announce.Event(WRITTEN, {path: file.Name(str2nr(bufnr)), bufnr: str2nr(bufnr)})
  endif
enddef

# Also report files that Vim itself reloads, as `:checktime` does.
export def Watch(on: bool)
  augroup claude_ide_written
    autocmd!
    if on
      autocmd BufReadPost * OnRead(expand('<abuf>'))
      autocmd FileChangedShellPost * ++nested OnPost(expand('<abuf>'))
    endif
  augroup END
enddef

defcompile
