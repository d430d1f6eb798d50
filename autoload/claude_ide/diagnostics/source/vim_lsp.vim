vim9script
# The diagnostics of vim-lsp. `diagnostics/sources.vim` has the functions of a source.

import autoload '../sources.vim'

export def IsThere(): bool
  return exists('g:lsp_loaded') == 1 && exists('*lsp#get_allowed_servers') == 1
enddef

# The messages of the servers, by normalized uri and by server.
def Published(): dict<dict<any>>
  return lsp#internal#diagnostics#state#_get_all_diagnostics_grouped_by_uri_and_server()
enddef

export def Read(): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  for [uri, servers] in items(Published())
    final all: list<dict<any>> = []
    for [server, response] in items(servers)
      for diagnostic in response.params.diagnostics
        all->add({server: server, diagnostic: diagnostic})
      endfor
    endfor
    if !empty(all)
      found[lsp#utils#uri_to_path(uri)] = all
    endif
  endfor
  return found
enddef

export def Severity(entry: dict<any>): number
  return sources.SeverityOfLsp(entry.diagnostic)
enddef

export def Item(entry: dict<any>, bufnr: number): dict<any>
  return sources.OfLsp(entry.diagnostic, entry.server)
enddef

def Running(bufnr: number): list<string>
  return lsp#get_allowed_servers(bufnr)
    ->filter((_, name) => lsp#get_server_status(name) ==# 'running')
enddef

export def Checks(bufnr: number): bool
  return get(g:, 'lsp_diagnostics_enabled', 1) && !empty(Running(bufnr))
enddef

def OfBuffer(bufnr: number): dict<any>
  const uri = lsp#utils#get_buffer_uri(bufnr)
  return lsp#internal#diagnostics#state#_get_all_diagnostics_grouped_by_server_for_uri(uri)
enddef

# Each publish is a new message.
export def Mark(bufnr: number): any
  return copy(OfBuffer(bufnr))
enddef

export def HasAnswered(bufnr: number, mark: any): bool
  final before: dict<any> = mark
  final now = OfBuffer(bufnr)
  for name in Running(bufnr)
    if !has_key(now, name)
      return false
    endif
    final message: dict<any> = now[name]
    final earlier: dict<any> = get(before, name, {})
    if message is earlier
      return false
    endif
  endfor
  return true
enddef

# Draw the virtual text of all buffers again, as if there were an update, but without its event.
export def DrawTexts(_: number)
  lsp#stream(1, {
    server: '$vimlsp',
    response: {method: '$/vimlsp/lsp_diagnostics_updated', params: {}},
  })
enddef

defcompile
