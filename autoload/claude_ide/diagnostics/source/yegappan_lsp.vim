vim9script
# The diagnostics of yegappan/lsp. `diagnostics/sources.vim` has the functions of a
# source. The plugin is not imported: that would fail where the plugin is missing.

import autoload '../../file/text.vim' as buffer_text
import autoload '../sources.vim'
import autoload '../texts.vim'

# With this patch the plugin counts characters; without it, it keeps what the server has sent, which
# is UTF-16. The same test as the plugin's own.
const COUNTS_CHARACTERS = has('patch-9.0.1629')

export def IsThere(): bool
  return exists('*g:LspAddServer') == 1 && exists('g:loaded_lsp') == 1
enddef

export def Read(): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  for info in getbufinfo({bufloaded: 1})
    final all = lsp#diag#GetDiagsForBuf(info.bufnr)
    if !empty(all)
      found[fnamemodify(info.name, ':p')] = all
    endif
  endfor
  return found
enddef

export def Severity(diagnostic: dict<any>): number
  return sources.SeverityOfLsp(diagnostic)
enddef

def InUnits(position: dict<any>, bufnr: number): dict<number>
  const text = getbufline(bufnr, position.line + 1)->get(0, '')
  const before = slice(text, 0, position.character)
  return {
    line: position.line,
    character: text ==# '' ? position.character : buffer_text.Units(before),
  }
enddef

export def Item(diagnostic: dict<any>, bufnr: number): dict<any>
  final made = sources.OfLsp(diagnostic, 'lsp')
  if COUNTS_CHARACTERS
    made.range = {
      start: InUnits(diagnostic.range.start, bufnr),
      end: InUnits(diagnostic.range.end, bufnr),
    }
  endif
  return made
enddef

export def Checks(bufnr: number): bool
  return !empty(lsp#buffer#BufLspServersGet(bufnr))
enddef

export def Mark(_: number): any
  return texts.Count('yegappan_lsp')
enddef

export def HasAnswered(_: number, mark: any): bool
  const before: number = mark
  return texts.Count('yegappan_lsp') > before
enddef

# Draw the virtual text of a buffer again.
export def DrawTexts(bufnr: number)
  lsp#diag#DiagsRefresh(bufnr)
enddef

defcompile
