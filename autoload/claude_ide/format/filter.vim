vim9script
# Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.

import autoload '../file/inside.vim'
import autoload '../say/reason.vim'
import autoload '../system/shell_command.vim'
import autoload '../when/time_limit.vim'

# The milliseconds after which a program is ended, and the bytes and lines of output after which it is
# killed: Vim does not react while it reads them.
final limits = {answers_within: 30000, largest: 10 * 1000 * 1000, most_lines: 1000 * 1000}

# The limits, which can be changed.
export def Limits(): dict<number>
  return limits
enddef

# The effective value of 'formatprg' or 'equalprg' for a buffer; empty if there is none.
export def Program(bufnr: number, name: string): string
  const own: string = getbufvar(bufnr, '&' .. name)
  return own !=# '' ? own : eval('&g:' .. name)
enddef

# The reason why a program's output is no formatted text, or an empty string.
def Failure(code: number, signal: string, output: list<string>, errors: list<string>,
    lines: list<string>): string
  if signal !=# ''
    return $'ended by signal {toupper(signal)}'
  elseif code != 0
    const said = errors->copy()->filter((_, line) => line =~# '\S')->get(0, '')
    return $'exit code {code}' .. (said !=# '' ? $': {said}' : '')
  elseif empty(output) && join(lines) =~# '\S'
    # The program has probably written elsewhere. The user would hardly want an empty file.
    return 'no output'
  endif
  return ''
enddef

# The buffer determines the line ends.
def WithoutLineEnds(lines: list<string>): list<string>
  return lines->indexof((_, line) => line !~# '\r$') >= 0 ? lines
    : lines->map((_, line) => strpart(line, 0, len(line) - 1))
enddef

# Run a program on the text of a loaded buffer, without blocking Vim. `Done` gets the reason of a
# failure, or an empty string, and the new lines. Returns a function that ends it.
export def Format(bufnr: number, program: string, Done: func): func
  const lines = getbufline(bufnr, 1, '$')
  final output: list<string> = []
  final errors: list<string> = []
  final state = {job: null_job, size: 0}
  const Answer = time_limit.New(limits.answers_within, Done, () => {
    shell_command.Stop(state.job)
    return time_limit.Failure(limits.answers_within, true)
  })
  def Collect(line: string)
    if state.size > limits.largest
      return
    endif
    output->add(line)
    state.size += len(line) + 1
    const excess = state.size > limits.largest ? $'{limits.largest / 1000000} MB'
      : len(output) > limits.most_lines ? $'{limits.most_lines} lines' : ''
    if excess !=# ''
      shell_command.Kill(state.job)
      Answer($'wrote more than {excess} and was stopped', [])
    endif
  enddef
  def Conclude(code: number, signal: string)
    Answer(Failure(code, signal, output, errors, lines), WithoutLineEnds(output))
  enddef
  const Inside = (command) => {
    inside.Run(bufnr, command)
  }
  try
    const command = shell_command.Expand(program, Inside)
    const folder = getcwd(max([bufwinid(bufnr), 0]))
    # One more tells that there was more.
    const most = {bytes: limits.largest + 1, lines: limits.most_lines + 1}
    state.job = shell_command.Start(command, folder, lines, most, Collect,
      (line) => errors->add(line), Conclude)
  catch
    Answer(reason.Of(v:exception), [])
    return () => 0
  endtry
  return () => shell_command.Stop(state.job)
enddef

defcompile
