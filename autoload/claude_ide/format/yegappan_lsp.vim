vim9script
# Formats with a language server of yegappan/lsp, as `:LspFormat` does.

import autoload '../file/inside.vim'
import autoload '../say/reason.vim'
import autoload './checkpoint.vim'

export def IsThere(): bool
  return exists('*g:LspAddServer') == 1 && exists('g:loaded_lsp') == 1
enddef

# The server of a buffer that can format it; empty if there is none.
export def Server(bufnr: number): string
  return lsp#buffer#BufLspServerGet(bufnr, 'documentFormatting')->get('name', '')
enddef

# Whether a server of a buffer has not reported its capabilities yet.
export def IsStarting(bufnr: number): bool
  return lsp#buffer#BufLspServersGet(bufnr)->indexof((_, server) => !server.ready) >= 0
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets a failure or an empty string,
# and the new lines. Vim blocks until the server has answered.
export def Format(bufnr: number, Done: func): func
  final point = checkpoint.New(bufnr)
  listener_flush(bufnr)
  const shown = reason.Attempt(inside.Run, [bufnr, 'LspFormat'])
  const lines = checkpoint.Restore(point)
  call(Done, [shown[0] ? '' : shown[1], lines])
  return () => 0
enddef

defcompile
