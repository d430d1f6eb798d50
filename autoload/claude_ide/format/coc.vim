vim9script
# Formats with coc.nvim: with its language servers and extensions.

import autoload '../file/path.vim' as file
import autoload '../file/uri.vim'
import autoload '../when/time_limit.vim'
import autoload './checkpoint.vim'

const KNOWS_WITHIN = 1500 # milliseconds

# Whether coc.nvim handles a buffer.
export def IsThere(bufnr: number): bool
  return exists('*g:CocActionAsync') == 1 && get(g:, 'coc_service_initialized', 0)
    && coc#rpc#ready() && getbufvar(bufnr, 'coc_enabled', 1)
enddef

# Ask whether something formats a buffer; `Done` gets the answer.
export def Ask(bufnr: number, Done: func(bool))
  const Answer = time_limit.New(KNOWS_WITHIN, (_, has) => Done(has), () => '', false)
  call('g:CocActionAsync', ['hasProvider', 'format', bufnr, (failure: any, has: any) => {
    Answer('', empty(failure) && !empty(has))
  }])
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets a failure or an empty string,
# and the new lines. The action "format" would format the buffer that is current when node is ready.
export def Format(bufnr: number, Done: func): func
  final point = checkpoint.New(bufnr)
  const Answer = time_limit.NewForServer(Done, () => 0)
  const arguments = ['runCommand', 'editor.action.formatDocument', uri.OfPath(file.Name(bufnr))]
  call('g:CocActionAsync', arguments + [(failure: any, _: any) => {
    const lines = bufloaded(bufnr) ? checkpoint.Restore(point) : []
    Answer(empty(failure) ? '' : string(failure), lines)
  }])
  return () => 0
enddef

defcompile
