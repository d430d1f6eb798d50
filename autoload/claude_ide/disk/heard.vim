vim9script
# Tells language servers, linters and autocommands that a buffer has been updated from its file.

import autoload '../file/inside.vim'
import autoload '../say/log.vim'
import autoload '../say/reason.vim'
import autoload '../when/moment.vim'

# Messages of these autocommands are meant for unexpected changes.
def Fire(bufnr: number, autocommand: string)
  const failure = reason.Try(inside.Run, [bufnr, $'silent! doautocmd <nomodeline> {autocommand}'])
  if failure !=# ''
    log.Write('warn', $'{autocommand}: {failure}')
  endif
enddef

# Report that a loaded buffer holds the text that has just been written to its file.
#
# Of the autocommands for a write only vim-lsp's run, which would otherwise wait for seconds: others may
# build the project.
export def Report(bufnr: number)
  listener_flush(bufnr)
  Fire(bufnr, 'FileChangedShellPost')
  if exists('#lsp#BufWritePost')
    Fire(bufnr, 'lsp BufWritePost')
  endif
  moment.Settle()
enddef
