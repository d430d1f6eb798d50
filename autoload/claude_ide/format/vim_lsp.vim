vim9script
# Formats with a language server of vim-lsp.

import autoload './text_edits.vim'

export def IsThere(): bool
  return exists('g:lsp_loaded') == 1 && exists('*lsp#get_allowed_servers') == 1
enddef

# The servers of a buffer that can format it.
export def Servers(bufnr: number): list<string>
  return lsp#get_allowed_servers(bufnr)->copy()->filter((_, name) =>
    lsp#get_server_status(name) ==# 'running'
    && lsp#capabilities#has_document_formatting_provider(name))
enddef

# Whether a server of a buffer has not reported its capabilities yet.
export def IsStarting(bufnr: number): bool
  return lsp#get_allowed_servers(bufnr)->copy()->filter((_, name) =>
    ['starting', 'not running']->index(lsp#get_server_status(name)) >= 0)->len() > 0
enddef

# Format the text of a loaded buffer. `Done` gets the outcome and the new lines. Returns a function that
# cancels the request.
export def Format(bufnr: number, formatter: dict<any>, Done: func): func
  const lines = getbufline(bufnr, 1, '$')
  return lsp#callbag#pipe(lsp#request(formatter.name, {
    method: 'textDocument/formatting',
    bufnr: bufnr,
    params: {
      textDocument: lsp#get_text_document_identifier(bufnr),
      options: text_edits.Options(bufnr),
    },
  }), lsp#callbag#subscribe({
    next: (answer) => {
      if lsp#client#is_error(answer.response)
        Done({error: lsp#client#error_message(answer.response)}, [])
      else
        const edits = get(answer.response, 'result', [])
        Done({}, text_edits.Apply(lines, type(edits) == v:t_list ? edits : []))
      endif
    },
    error: (failure) => Done({error: string(failure)}, []),
  }))
enddef

defcompile
