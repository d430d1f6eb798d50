vim9script
# Formats with language servers of vim-lsp, yegappan/lsp and coc.nvim.

import autoload '../file/path.vim' as file
import autoload './checkpoint.vim'

const COC_KNOWS_WITHIN = 1.5 # seconds

# By buffer: when coc.nvim was asked whether something formats it, and the answer, which stays for a moment.
var known: dict<dict<any>> = {}

# Whether coc.nvim handles a buffer.
def HasCoc(bufnr: number): bool
  return exists('*g:CocActionAsync') == 1 && get(g:, 'coc_service_initialized', 0)
    && coc#rpc#ready() && getbufvar(bufnr, 'coc_enabled', 1)
enddef

# Whether something of coc.nvim `formats` a buffer. `is_asking`: the answer is still to come.
def AskCoc(bufnr: number): dict<any>
  if !has_key(known, bufnr) || reltimefloat(reltime(known[bufnr].asked)) > COC_KNOWS_WITHIN
    final asked = {asked: reltime(), is_asking: true, formats: false}
    known[bufnr] = asked
    call('g:CocActionAsync', ['hasProvider', 'format', bufnr, (failure: any, has: any) => {
      extend(asked, {is_asking: false, formats: empty(failure) && !empty(has)})
    }])
  endif
  return known[bufnr]
enddef

# The `servers` that can format a buffer, whether others are starting, and whether any may attach.
export def Found(bufnr: number): dict<any>
  final found = {servers: [], is_starting: false, may_attach: false}
  if exists('g:lsp_loaded') == 1 && exists('*lsp#get_allowed_servers') == 1
    found.may_attach = true
    for name in lsp#get_allowed_servers(bufnr)
      const status = lsp#get_server_status(name)
      found.is_starting = found.is_starting || index(['starting', 'not running'], status) >= 0
      if status ==# 'running' && lsp#capabilities#has_document_formatting_provider(name)
        found.servers->add({kind: 'server', name: name, id: 'vim_lsp'})
      endif
    endfor
  endif
  if exists('*g:LspAddServer') == 1 && exists('g:loaded_lsp') == 1
    found.may_attach = true
    const starting = lsp#buffer#BufLspServersGet(bufnr)->indexof((_, server) => !server.ready) >= 0
    found.is_starting = found.is_starting || starting
    const name = lsp#buffer#BufLspServerGet(bufnr, 'documentFormatting')->get('name', '')
    if name !=# ''
      found.servers->add({kind: 'server', name: name, id: 'yegappan_lsp'})
    endif
  endif
  if HasCoc(bufnr)
    found.may_attach = true
    const asked = AskCoc(bufnr)
    found.is_starting = found.is_starting || asked.is_asking
    if asked.formats
      found.servers->add({kind: 'server', name: 'coc.nvim', id: 'coc'})
    endif
  endif
  return found
enddef

# The options of a request to format a buffer.
def Options(bufnr: number): dict<any>
  return {
    tabSize: getbufvar(bufnr, '&shiftwidth') ?? getbufvar(bufnr, '&tabstop'),
    insertSpaces: getbufvar(bufnr, '&expandtab') ? true : false,
  }
enddef

def WithVimLsp(bufnr: number, name: string, Done: func)
  lsp#callbag#pipe(lsp#request(name, {
    method: 'textDocument/formatting',
    bufnr: bufnr,
    params: {textDocument: lsp#get_text_document_identifier(bufnr), options: Options(bufnr)},
  }), lsp#callbag#subscribe({
    next: (answer) => {
      if lsp#client#is_error(answer.response)
        Done({error: lsp#client#error_message(answer.response)})
      else
        Done({edits: get(answer.response, 'result', [])})
      endif
    },
    error: (failure) => Done({error: string(failure)}),
  }))
enddef

# `:LspFormat` would block Vim, and say nothing of a server that does not answer.
def WithYegappanLsp(bufnr: number, Done: func)
  final server: dict<any> = lsp#buffer#BufLspServerGet(bufnr, 'documentFormatting')
  listener_flush(bufnr)
  const request = {
    textDocument: {uri: lsp#util#LspFileToUri(file.Name(bufnr))},
    options: Options(bufnr),
  }
  # The failure is missing in older versions.
  const id = server.rpc_a('textDocument/formatting', request, (_, edits, ...failure: list<any>) => {
    if !empty(get(failure, 0, {}))
      Done({error: get(failure[0], 'message', 'it answered with an error')})
    else
      Done({edits: edits, bits: server.posEncoding})
    endif
  })
  if id < 0
    throw 'claude-ide: it has ended'
  endif
enddef

# The action "format" would format the buffer that is current when node is ready.
def WithCoc(bufnr: number, Done: func)
  const point = checkpoint.New(bufnr)
  const arguments = ['runCommand', 'editor.action.formatDocument', file.Uri(file.Name(bufnr))]
  call('g:CocActionAsync', arguments + [(failure: any, _: any) => {
    const lines = bufloaded(bufnr) ? checkpoint.Restore(point) : []
    Done(empty(failure) ? {lines: lines} : {error: string(failure)})
  }])
enddef

# Have a server format the text of a loaded buffer. `Done` gets the outcome.
export def Format(bufnr: number, formatter: dict<any>, Done: func)
  if formatter.id ==# 'vim_lsp'
    WithVimLsp(bufnr, formatter.name, Done)
  elseif formatter.id ==# 'yegappan_lsp'
    WithYegappanLsp(bufnr, Done)
  else
    WithCoc(bufnr, Done)
  endif
enddef

defcompile
