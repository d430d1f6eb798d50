vim9script
# Makes language servers and linters notice that a callback has changed a buffer.
#
# Vim triggers TextChanged only after the next key, and calls the listeners of a buffer only when it
# draws. yegappan/lsp and coc.nvim listen; ALE follows FileChangedShellPost; vim-lsp tells its servers
# of a write at once, but of another change only after 'updatetime'.

import autoload '../file/inside.vim'
import autoload '../say/reason.vim'
import autoload '../when/moment.vim'
import autoload './expectation.vim'

# The commands name groups, so that nothing runs that a user has set up to run after a save.
def Notify(bufnr: number)
  listener_flush(bufnr)
  inside.Run(bufnr, 'doautocmd <nomodeline> FileChangedShellPost')
  if exists('#lsp#BufWritePost')
    inside.Run(bufnr, 'doautocmd <nomodeline> lsp BufWritePost')
  endif
enddef

# A buffer has been updated from the disk: have it checked, and expect answers.
export def Buffer(bufnr: number)
  if !bufloaded(bufnr)
    return
  endif
  expectation.Begin(bufnr)
  # An error in an autocommand of another plugin is not ours to report.
  reason.Try(Notify, [bufnr])
  moment.Settle()
enddef

defcompile
