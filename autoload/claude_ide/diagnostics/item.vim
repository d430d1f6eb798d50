vim9script
# Builds diagnostics in the form of LSP: {message, severity, range, source, code}.

import autoload '../file/text.vim' as buffer_text

export const SEVERITIES = ['Error', 'Warning', 'Info', 'Hint']

# A function from a line of a file (from 1) to its text, which is empty where there is none, and in a file
# that is not loaded. It caches one line.
export def LinesOf(path: string): func
  # Not bufnr(), for which the path would be a pattern.
  const bufnr = bufexists(path) ? bufadd(path) : -1
  final last = {lnum: 0, text: ''}
  return (lnum) => {
    if lnum != last.lnum
      last.lnum = lnum
      last.text = getbufline(bufnr, lnum)->get(0, '')
    endif
    return last.text
  }
enddef

# A position of LSP from a line and a byte column, both from 1. Without the text of the line, bytes
# count as characters.
export def Position(lnum: number, col: number, TextOf: func): dict<number>
  const row = max([lnum, 1])
  const bytes = max([col - 1, 0])
  const text: string = TextOf(row)
  return {
    line: row - 1,
    character: text ==# '' ? bytes : buffer_text.Character(text, bytes),
  }
enddef

# A diagnostic; the `code` is left out unless it is a number or a text.
export def New(message: string, severity: number, range: dict<any>, source: string,
    code: any = ''): dict<any>
  final made: dict<any> = {
    message: message,
    severity: get(SEVERITIES, severity - 1, 'Error'),
    range: range,
    source: source,
  }
  if type(code) == v:t_number || (type(code) == v:t_string && !empty(code))
    made.code = code
  endif
  return made
enddef

# The severity of a diagnostic of LSP, 1 to 4.
export def SeverityOfLsp(diagnostic: dict<any>): number
  const severity = get(diagnostic, 'severity', 1)
  return type(severity) == v:t_number && severity >= 1 && severity <= 4 ? severity : 1
enddef

# A diagnostic of LSP. `server` is its source if it names none.
export def OfLsp(diagnostic: dict<any>, server: string): dict<any>
  const named = get(diagnostic, 'source', '')
  return New(
    diagnostic.message,
    SeverityOfLsp(diagnostic),
    {start: diagnostic.range.start, end: diagnostic.range.end},
    type(named) == v:t_string && named !=# '' ? named : server,
    get(diagnostic, 'code', ''),
  )
enddef

defcompile
