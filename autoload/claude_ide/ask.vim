vim9script
# `:ClaudeAsk`.

import autoload './question/answer.vim'
import autoload './session.vim'

# Carry out `:[range]ClaudeAsk[!] [question]`.
export def Run(text: string, lines: list<number>, bang: bool)
  session.Run('ClaudeAsk', {args: [text], lines: lines, bang: bang},
    () => answer.Ask(text, lines, bang))
enddef

defcompile
