vim9script
# Formats with a language server of vim-lsp.

import autoload '../file/inside.vim'
import autoload '../when/time_limit.vim'
import autoload './checkpoint.vim'

const ANSWERS_WITHIN = 10000 # milliseconds

var edits: list<dict<any>> = []

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

# Only for this module: the plugin edits the current buffer.
export def ApplyEdits()
  lsp#utils#text_edit#apply_text_edits(lsp#utils#get_buffer_uri(), edits)
enddef

# Apply the edits of a server, and take the result out of the buffer.
def Edited(bufnr: number): list<string>
  final point = checkpoint.New(bufnr)
  try
    inside.Run(bufnr, 'silent noautocmd call claude_ide#format#vim_lsp#ApplyEdits()')
  finally
    edits = []
  endtry
  return checkpoint.Restore(point)
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets a failure or an empty string,
# and the new lines.
export def Format(server: string, bufnr: number, Done: func)
  const Answer = time_limit.New(ANSWERS_WITHIN, Done, () =>
    $'did not answer within {ANSWERS_WITHIN / 1000} s')
  const tick = getbufvar(bufnr, 'changedtick')
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
      elseif !bufloaded(bufnr) || getbufvar(bufnr, 'changedtick') != tick
        Answer('', [])
      else
        const found = get(answer.response, 'result', [])
        edits = type(found) == v:t_list ? found : []
        Answer('', Edited(bufnr))
      endif
    },
  })
enddef

defcompile
