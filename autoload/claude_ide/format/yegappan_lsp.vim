vim9script
# Formats with a language server of yegappan/lsp.

import autoload '../file/path.vim' as file
import autoload './text_edits.vim'

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

# Format the text of a loaded buffer. `Done` gets the outcome and the new lines. Returns a function that
# cancels the request. `:LspFormat` would block Vim, and say nothing of a server that does not answer.
export def Format(bufnr: number, _: dict<any>, Done: func): func
  final server: dict<any> = lsp#buffer#BufLspServerGet(bufnr, 'documentFormatting')
  listener_flush(bufnr)
  const lines = getbufline(bufnr, 1, '$')
  const request = {
    textDocument: {uri: lsp#util#LspFileToUri(file.Name(bufnr))},
    options: text_edits.Options(bufnr),
  }
  # The failure is missing in older versions.
  const id = server.rpc_a('textDocument/formatting', request, (_, edits, ...failure: list<any>) => {
    if !empty(get(failure, 0, {}))
      Done({error: get(failure[0], 'message', 'it answered with an error')}, [])
    else
      const listed = type(edits) == v:t_list ? edits : []
      Done({}, text_edits.Apply(lines, listed, server.posEncoding))
    endif
  })
  if id < 0
    throw 'claude-ide: it has ended'
  endif
  return () => server.sendNotification('$/cancelRequest', {id: id})
enddef

defcompile
