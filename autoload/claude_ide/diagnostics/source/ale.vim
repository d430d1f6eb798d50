vim9script
# The diagnostics of ALE. `diagnostics/sources.vim` has the functions of a source.

import autoload '../sources.vim'

const SEVERITIES = {E: 1, W: 2, I: 3}

export def IsThere(): bool
  return exists('g:ale_buffer_info') == 1
enddef

# An entry may be about another file than the one that was checked.
def PathOf(entry: dict<any>, checked: number): string
  const named = get(entry, 'filename', '')
  const bufnr = get(entry, 'bufnr', checked)
  return bufexists(bufnr) && (bufnr != -1) ? fnamemodify(bufname(bufnr), ':p') : named
enddef

export def Read(): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  for [key, info] in items(g:ale_buffer_info)
    for entry in get(info, 'loclist', [])
      const path = PathOf(entry, str2nr(key))
      if !has_key(found, path)
        found[path] = []
      endif
      found[path]->add(entry)
    endfor
  endfor
  return found
enddef

export def Severity(entry: dict<any>): number
  return get(SEVERITIES, get(entry, 'type', 'E'), 2)
enddef

# ALE's `end_col` is the last column that belongs to the range.
export def Item(entry: dict<any>, bufnr: number): dict<any>
  const lnum: number = get(entry, 'lnum', 1)
  const col: number = get(entry, 'col', 0)
  const end_lnum: number = get(entry, 'end_lnum', lnum)
  const end_col: number = has_key(entry, 'end_col') ? entry.end_col + 1 : col + 1
  return sources.New(
    get(entry, 'text', ''),
    Severity(entry),
    {
      start: sources.Position(lnum, col, bufnr),
      end: sources.Position(end_lnum, max([end_col, 1]), bufnr),
    },
    get(entry, 'linter_name', 'ALE'),
    get(entry, 'code', ''),
  )
enddef

export def Checks(bufnr: number): bool
  return get(g:, 'ale_enabled', 1) && getbufvar(bufnr, 'ale_enabled', 1)
    && !empty(ale#linter#Get(getbufvar(bufnr, '&filetype')))
enddef

# ALE counts how often it has checked a buffer.
export def Mark(bufnr: number): any
  return getbufvar(bufnr, 'ale_linted', 0)
enddef

export def HasAnswered(bufnr: number, mark: any): bool
  const checks: number = getbufvar(bufnr, 'ale_linted', 0)
  const before: number = mark
  return checks > before && !ale#engine#IsCheckingBuffer(bufnr)
enddef

# Draw the virtual text of a buffer again.
export def DrawTexts(bufnr: number)
  if index(['all', '2'], $'{g:ale_virtualtext_cursor}') >= 0
    ale#virtualtext#SetTexts(bufnr, get(g:ale_buffer_info, bufnr, {})->get('loclist', []))
  endif
enddef

defcompile
