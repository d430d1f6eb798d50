vim9script
# Formats with a language server of vim-lsp.

import autoload '../when/time_limit.vim'
import autoload './text_edits.vim'

const ANSWERS_WITHIN = 10000 # milliseconds

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

# Format the text of a loaded buffer. `Done` gets a failure or an empty string,
# and the new lines.
export def Format(server: string, bufnr: number, Done: func)
  const Answer = time_limit.New(ANSWERS_WITHIN, Done, () => time_limit.Failure(ANSWERS_WITHIN))
  const lines = getbufline(bufnr, 1, '$')
  lsp#send_request(server, {
    method: 'textDocument/formatting',
    bufnr: bufnr,
    params: {
      textDocument: lsp#get_text_document_identifier(bufnr),
      options: {
        tabSize: lsp#utils#buffer#get_indent_size(bufnr),
        insertSpaces: getbufvar(bufnr, '&expandtab') ? true : false,
      },
    },
    on_notification: (answer) => {
      if lsp#client#is_error(answer.response)
        Answer(lsp#client#error_message(answer.response), [])
      else
        const edits = get(answer.response, 'result', [])
        Answer('', text_edits.Apply(lines, type(edits) == v:t_list ? edits : []))
      endif
    },
  })
enddef

defcompile
