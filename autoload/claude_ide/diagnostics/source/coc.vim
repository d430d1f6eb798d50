vim9script
# The diagnostics of coc.nvim. `checking/sources.vim` has the functions of a source.
#
# Its node process is asked ahead, after each event: waiting for it would block Vim.

import autoload '../../checking/events.vim'
import autoload '../item.vim'

const SEVERITIES = {Error: 1, Warning: 2, Information: 3, Hint: 4}

var latest: list<dict<any>> = []

export def IsThere(): bool
  return exists('g:did_coc_loaded') == 1 && exists('*g:CocActionAsync') == 1
enddef

# Ask for all diagnostics, and call `Done` when they are there.
export def Fetch(Done: func())
  if !coc#rpc#ready()
    return
  endif
  call('g:CocActionAsync', ['diagnosticList', (_: any, answer: any) => {
    if type(answer) == v:t_list
      latest = answer
      Done()
    endif
  }])
enddef

export def Read(): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  for entry in latest
    if !has_key(found, entry.file)
      found[entry.file] = []
    endif
    found[entry.file]->add(entry)
  endfor
  return found
enddef

export def Severity(entry: dict<any>): number
  return get(SEVERITIES, get(entry, 'severity', 'Error'), 1)
enddef

export def Item(entry: dict<any>, TextOf: func): dict<any>
  final range: dict<any> = entry.location.range
  return item.New(
    entry.message,
    Severity(entry),
    {start: range.start, end: range.end},
    get(entry, 'source', 'coc.nvim'),
    get(entry, 'code', ''),
  )
enddef

export def Checks(bufnr: number): bool
  return coc#rpc#ready() && getbufvar(bufnr, 'coc_enabled', 1)
enddef

export def Mark(_: number): any
  return events.Count('coc')
enddef

export def HasAnswered(_: number, mark: any): bool
  const before: number = mark
  return events.Count('coc') > before
enddef

defcompile
