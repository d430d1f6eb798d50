vim9script
# Formats files for the model with the user's own formatters. The host decides what to propose to the user.

import autoload './edits.vim'
import autoload '../diagnostics/unopened.vim'
import autoload '../file/edit.vim' as file_edit
import autoload '../format/choice.vim'
import autoload '../say/reason.vim'

def LinesOf(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

# Run a formatter. `Done` gets what `Format` answers. Returns what ends it.
def Run(bufnr: number, path: string, formatter: dict<any>, others: list<string>, Done: func): func
  const before = LinesOf(bufnr)
  def Formatted(failure: string, output: list<string>)
    if !bufloaded(bufnr) || LinesOf(bufnr) !=# before
      call(Done, [{error: $'{path} was changed meanwhile; call the tool again'}])
      return
    endif
    final found: dict<any> = {name: formatter.name, others: others}
    const [succeeded, text] = failure !=# '' ? [false, failure]
      : reason.Attempt(edits.Text, [bufnr, path])
    if succeeded
      extend(found, {text: text, lines: file_edit.InBuffer(output)})
    else
      found.failure = text
    endif
    call(Done, [found])
  enddef
  const Start: func = formatter.Format
  const [succeeded, Stop] = reason.Attempt(Start, [Formatted])
  if succeeded
    return Stop
  endif
  Formatted(Stop, [])
  return () => 0
enddef

# Have one of a file's formatters format it.
def Begin(arguments: dict<any>, Answer: func): func
  const loaded = unopened.Load(arguments.file)
  if !has_key(loaded, 'bufnr')
    throw 'claude-ide: ' .. get(loaded, 'error', $'{arguments.file}: {get(loaded, "obstacle", "")}')
  endif
  const index: number = arguments.index
  final run: dict<any> = {Stop: () => 0, is_cancelled: false}
  choice.Find(loaded.bufnr, loaded.is_cold, (formatters) => {
    if run.is_cancelled
      return
    elseif index >= len(formatters)
      call(Answer, [{error: $'{arguments.file} has no formatter'}])
      return
    endif
    const others: list<string> = formatters[index + 1 :]->mapnew((_, each) => each.name)
    run.Stop = Run(loaded.bufnr, arguments.file, formatters[index], others, Answer)
  })
  return () => {
    run.is_cancelled = true
    call(run.Stop, [])
  }
enddef

# Answers the `name` of the formatter `index` (from 0), those of the `others` after it, the present `text`, as
# in `edits`, and the `lines` that it would become or the `failure`.
export def Format(arguments: dict<any>): func
  return (Answer) => Begin(arguments, Answer)
enddef

defcompile
