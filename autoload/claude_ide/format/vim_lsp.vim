vim9script
# Formats with a language server of vim-lsp.

import autoload '../when/time_limit.vim'
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

# Format the text of a loaded buffer. `Done` gets a failure or an empty string, and the new lines.
# Returns a function that cancels the request.
export def Format(server: string, bufnr: number, Done: func): func
  final state: dict<any> = {Cancel: () => 0}
  const Answer = time_limit.NewForServer(Done, () => call(state.Cancel, []))
  const lines = getbufline(bufnr, 1, '$')
  state.Cancel = lsp#callbag#pipe(lsp#request(server, {
    method: 'textDocument/formatting',
    bufnr: bufnr,
    params: {
      textDocument: lsp#get_text_document_identifier(bufnr),
      options: text_edits.Options(bufnr),
    },
  }), lsp#callbag#subscribe({
    next: (answer) => {
      if lsp#client#is_error(answer.response)
        Answer(lsp#client#error_message(answer.response), [])
      else
        const edits = get(answer.response, 'result', [])
        Answer('', text_edits.Apply(lines, type(edits) == v:t_list ? edits : []))
      endif
    },
    error: (failure) => Answer(string(failure), []),
  }))
  return state.Cancel
enddef

defcompile
