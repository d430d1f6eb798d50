vim9script
# Where diagnostics come from: Vim has no store of its own, as Neovim has. Each source is a module in
# `diagnostics/source/` with these functions; an entry is in the source's own form.
#
# | function                   | result                                                            |
# | -------------------------- | ----------------------------------------------------------------- |
# | `IsThere()`                | whether its plugin is loaded                                      |
# | `Read()`                   | its entries, by the path of their file                            |
# | `Severity(entry)`          | 1 (error) to 4 (hint)                                             |
# | `Item(entry, bufnr)`       | the entry in the form of LSP (`New`); -1 without a buffer         |
# | `Checks(bufnr)`            | whether it checks this buffer after a change                      |
# | `Mark(bufnr)`              | a value that tells later answers for the buffer from earlier ones |
# | `HasAnswered(bufnr, mark)` | whether all that check the buffer have published since then       |

import autoload '../file/text.vim' as buffer_text
import autoload '../messages/log.vim'
import autoload '../messages/reason.vim'

# The User event of each plugin after a publish. None says of which file.
export const EVENTS = {
  ale: 'ALELintPost',
  coc: 'CocDiagnosticChange',
  vim_lsp: 'lsp_diagnostics_updated',
  yegappan_lsp: 'LspDiagsUpdated',
}
const FALLBACK = 'lists'
const SEVERITIES = ['Error', 'Warning', 'Info', 'Hint']

var known_failures: dict<bool> = {}

# A function of a source.
export def Function(source: string, what: string): func
  return function($'claude_ide#diagnostics#source#{source}#{what}')
enddef

# Call a function of a source. If it fails, as with a plugin's version of another form, log that once,
# and return `otherwise`.
export def Ask(source: string, what: string, arguments: list<any>, otherwise: any): any
  final answer = reason.Attempt(Function(source, what), arguments)
  if !answer[0]
    const failure = $'cannot read the diagnostics of {source}: {answer[1]}'
    if !has_key(known_failures, failure)
      known_failures[failure] = true
      log.Write('warn', failure)
    endif
    return otherwise
  endif
  return answer[1]
enddef

# The names of the sources whose plugins are loaded; without any, of the one that reads the lists.
export def There(): list<string>
  final plugins = keys(EVENTS)->sort()->filter((_, name) => Ask(name, 'IsThere', [], false))
  return empty(plugins) ? [FALLBACK] : plugins
enddef

# The sources that check a buffer after a change. Nothing fills the lists by itself.
export def OfBuffer(bufnr: number): list<string>
  return There()->copy()
    ->filter((_, name) => name !=# FALLBACK && Ask(name, 'Checks', [bufnr], false))
enddef

# A position of LSP from a line and a byte column, both from 1. In a file that is not loaded, and on a line that
# is not there, bytes count as characters.
export def Position(lnum: number, col: number, bufnr: number): dict<number>
  const row = max([lnum, 1])
  const bytes = max([col - 1, 0])
  const text = getbufline(bufnr, row)->get(0, '')
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
