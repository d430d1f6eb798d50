vim9script
# Formats with coc.nvim: with its language servers and extensions.

import autoload '../file/path.vim' as file
import autoload './checkpoint.vim'

const KNOWS_WITHIN = 1.5 # seconds

# By buffer: when it was asked whether something formats it, and the answer, which stays for a moment.
var known: dict<dict<any>> = {}

# Whether coc.nvim handles a buffer.
export def IsThere(bufnr: number): bool
  return exists('*g:CocActionAsync') == 1 && get(g:, 'coc_service_initialized', 0)
    && coc#rpc#ready() && getbufvar(bufnr, 'coc_enabled', 1)
enddef

# Whether something formats a buffer. `is_asking`: the answer is still to come.
export def Ask(bufnr: number): dict<bool>
  if !has_key(known, bufnr) || reltimefloat(reltime(known[bufnr].asked)) > KNOWS_WITHIN
    final asked = {asked: reltime(), is_asking: true, formats: false}
    known[bufnr] = asked
    call('g:CocActionAsync', ['hasProvider', 'format', bufnr, (failure: any, has: any) => {
      extend(asked, {is_asking: false, formats: empty(failure) && !empty(has)})
    }])
  endif
  return {is_asking: known[bufnr].is_asking, formats: known[bufnr].formats}
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets the outcome and the new lines. The
# action "format" would format the buffer that is current when node is ready.
export def Format(bufnr: number, _: dict<any>, Done: func): func
  final point = checkpoint.New(bufnr)
  const arguments = ['runCommand', 'editor.action.formatDocument', file.Uri(file.Name(bufnr))]
  call('g:CocActionAsync', arguments + [(failure: any, _: any) => {
    const lines = bufloaded(bufnr) ? checkpoint.Restore(point) : []
    Done(empty(failure) ? {} : {error: string(failure)}, lines)
  }])
  return () => 0
enddef

defcompile
