vim9script
# Where diagnostics come from: Vim has no store of its own, as Neovim has. Each source is a module in
# `diagnostics/source/` with these functions; an entry is in the source's own form.
#
# | function                   | result                                                            |
# | -------------------------- | ----------------------------------------------------------------- |
# | `IsThere()`                | whether its plugin is loaded                                      |
# | `Read()`                   | its entries, by the path of their file                            |
# | `Severity(entry)`          | 1 (error) to 4 (hint)                                             |
# | `Item(entry, TextOf)`      | the entry in the form of LSP (`item.vim`)                         |
# | `Checks(bufnr)`            | whether it checks this buffer after a change                      |
# | `Mark(bufnr)`              | a value that tells later answers for the buffer from earlier ones |
# | `HasAnswered(bufnr, mark)` | whether all that check the buffer have published since then       |

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

var known_failures: dict<bool> = {}

def NameOf(source: string, what: string): string
  return $'claude_ide#diagnostics#source#{source}#{what}'
enddef

# A function of a source.
export def Function(source: string, what: string): func
  return function(NameOf(source, what))
enddef

# Call a function of a source. If it fails, as with a plugin's version of another form, log that once,
# and return `otherwise`.
export def Ask(source: string, what: string, arguments: list<any>, otherwise: any): any
  final answer = reason.Attempt(function(NameOf(source, what)), arguments)
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

defcompile
