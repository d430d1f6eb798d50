vim9script
# Formats with plugins: the fixers of ALE, and language servers of vim-lsp, yegappan/lsp and coc.nvim.

import autoload '../diagnostics/source/coc.vim'
import autoload '../file/path.vim' as file
import autoload './expression.vim'

const POLL_MS = 10
const COC_KNOWS_SECONDS = 1.5

# By buffer: when coc.nvim was asked whether something formats it, and the answer, which stays for a moment.
var known: dict<dict<any>> = {}

# Whether the user has set fixers of ALE for a buffer.
export def HasFixers(bufnr: number): bool
  if !exists('g:ale_buffer_info') || !get(g:, 'ale_enabled', 1)
    return false
  endif
  final fixers = getbufvar(bufnr, 'ale_fixers', get(g:, 'ale_fixers', {}))
  const filetype: string = getbufvar(bufnr, '&filetype')
  return type(fixers) != v:t_dict ? !empty(fixers)
    : split(filetype, '\.')->add('*')->indexof((_, each) => !empty(get(fixers, each, []))) >= 0
enddef

# ALE applies nothing if the user has changed the text.
def WithAle(bufnr: number, Done: func)
  const point = expression.Checkpoint(bufnr)
  var tick = point.tick
  def Wait(_: any)
    if bufloaded(bufnr) && has_key(g:ale_fix_buffer_data, bufnr)
      tick = getbufvar(bufnr, 'changedtick')
      timer_start(POLL_MS, Wait)
    else
      const is_fixed = bufloaded(bufnr) && tick == point.tick
      Done({lines: is_fixed ? expression.Restore(bufnr, point) : []})
    endif
  enddef
  if ale#fix#Fix(bufnr, '!')
    Wait(0)
  else
    Done({error: 'it has no fixer'})
  endif
enddef

# Whether something of coc.nvim `formats` a buffer. `is_asking`: the answer is still to come.
def AskCoc(bufnr: number): dict<any>
  if !has_key(known, bufnr) || reltimefloat(reltime(known[bufnr].asked)) > COC_KNOWS_SECONDS
    final asked = {asked: reltime(), is_asking: true, formats: false}
    known[bufnr] = asked
    call('g:CocActionAsync', ['hasProvider', 'format', bufnr, (failure: any, has: any) => {
      extend(asked, {is_asking: false, formats: empty(failure) && !empty(has)})
    }])
  endif
  return known[bufnr]
enddef

# The `servers` that can format a buffer, whether others are starting, and whether any may attach.
export def Servers(bufnr: number): dict<any>
  final found = {servers: [], is_starting: false, may_attach: false}
  const Add = (id: string, name: string, is_starting: bool) => {
    found.may_attach = true
    found.is_starting = found.is_starting || is_starting
    if name !=# ''
      found.servers->add({kind: 'server', name: name, id: id})
    endif
  }
  if exists('g:lsp_loaded') && exists('*lsp#get_allowed_servers')
    Add('vim_lsp', '', false)
    for name in lsp#get_allowed_servers(bufnr)
      const status = lsp#get_server_status(name)
      const formats = status ==# 'running' && lsp#capabilities#has_document_formatting_provider(name)
      Add('vim_lsp', formats ? name : '', index(['starting', 'not running'], status) >= 0)
    endfor
  endif
  if exists('*g:LspAddServer') && exists('g:loaded_lsp')
    Add('yegappan_lsp', lsp#buffer#BufLspServerGet(bufnr, 'documentFormatting')->get('name', ''),
      lsp#buffer#BufLspServersGet(bufnr)->indexof((_, server) => !server.ready) >= 0)
  endif
  if coc.IsThere() && coc.IsReady() && getbufvar(bufnr, 'coc_enabled', 1)
    const asked = AskCoc(bufnr)
    Add('coc', asked.formats ? 'coc.nvim' : '', asked.is_asking)
  endif
  return found
enddef

# What a request to format a buffer says, apart from the file.
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
    next: (answer) => Done(lsp#client#is_error(answer.response)
      ? {error: lsp#client#error_message(answer.response)}
      : {edits: get(answer.response, 'result', [])}),
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
  const id = server.rpc_a('textDocument/formatting', request, (_, edits, ...failure: list<any>) =>
    Done(empty(get(failure, 0, {})) ? {edits: edits, bits: server.posEncoding}
      : {error: get(failure[0], 'message', 'it answered with an error')}))
  if id < 0
    throw 'claude-ide: it has ended'
  endif
enddef

# The action "format" would format the buffer that is current when node is ready.
def WithCoc(bufnr: number, Done: func)
  const point = expression.Checkpoint(bufnr)
  const arguments = ['runCommand', 'editor.action.formatDocument', file.Uri(file.Name(bufnr))]
  call('g:CocActionAsync', arguments + [(failure: any, _: any) => {
    const lines = bufloaded(bufnr) ? expression.Restore(bufnr, point) : []
    Done(empty(failure) ? {lines: lines} : {error: string(failure)})
  }])
enddef

# Have a plugin format the text of a loaded buffer. `Done` gets the outcome.
export def Format(bufnr: number, formatter: dict<any>, Done: func)
  if formatter.kind ==# 'ale'
    WithAle(bufnr, Done)
  elseif formatter.id ==# 'vim_lsp'
    WithVimLsp(bufnr, formatter.name, Done)
  elseif formatter.id ==# 'yegappan_lsp'
    WithYegappanLsp(bufnr, Done)
  else
    WithCoc(bufnr, Done)
  endif
enddef

defcompile
