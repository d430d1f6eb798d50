vim9script
# Handles `|` after commands with free text or quotes. Vim's own rule (`:help :bar`) would cut off
# the text, or treat a quote as the start of a comment.

import autoload './messages/message.vim'
import autoload './messages/reason.vim'

# Split arguments as `<f-args>` would.
def Split(args: string): list<string>
  return args->split('\%(\\\@<!\%(\\\\\)*\)\@<=\s\+')->mapnew((_, word) =>
    word->substitute('\\\([\\ \t|]\)', '\1', 'g'))
enddef

# In a function of Vim9 script the command would be one of Vim9 script, too.
def RunNext(command: string)
  const failure = reason.Try(() => execute('legacy execute ' .. string(command), ''))
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

def Run(Function: any, arguments: list<any>)
  const failure = reason.Try(() => call(Function, arguments))
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

# Run a command whose arguments end at a `|` that is neither quoted nor after a backslash. The
# function gets its words, `lines` and `bang`.
export def AfterArguments(Function: any, args: string, lines: list<number>, bang: bool)
  const bar: number = claude_ide#arguments#Bar(args)
  Run(Function, [Split(trim(bar < 0 ? args : strpart(args, 0, bar))), lines, bang])
  if bar >= 0
    RunNext(strpart(args, bar + 1))
  endif
enddef

# Run a command that ends in free text. A `|` belongs to the text, unless the text would begin with
# it. The function gets the text, `lines` and `bang`.
export def AfterText(function_name: string, args: string, lines: list<number>, bang: bool)
  const is_empty = args[0] ==# '|'
  Run(function_name, [is_empty ? '' : args, lines, bang])
  if is_empty
    RunNext(strpart(args, 1))
  endif
enddef

defcompile
