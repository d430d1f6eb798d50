vim9script
# Formats with the program in 'formatprg' or 'equalprg', a filter from stdin to stdout.

import autoload '../window/inside.vim'
import autoload '../system/shell_command.vim'

# The bytes and lines of output after which a program is killed: Vim does not react while it reads them.
final limits = {largest: 10 * 1000 * 1000, most_lines: 1000 * 1000}

# The limits, which can be changed.
export def Limits(): dict<number>
  return limits
enddef

# The effective value of 'formatprg' or 'equalprg' for a buffer; empty if there is none.
export def Program(bufnr: number, name: string): string
  const own: string = getbufvar(bufnr, '&' .. name)
  return own !=# '' ? own : eval('&g:' .. name)
enddef

# The buffer determines the line ends.
def WithoutLineEnds(lines: list<string>): list<string>
  return lines->indexof((_, line) => line !~# '\r$') >= 0 ? lines
    : lines->map((_, line) => strpart(line, 0, len(line) - 1))
enddef

# Run the program on the text of a loaded buffer, without blocking Vim. `Done` gets the outcome and the new
# lines. Returns a function that ends it.
export def Format(bufnr: number, formatter: dict<any>, Done: func): func
  final output: list<string> = []
  final errors: list<string> = []
  final state = {job: null_job, size: 0, excess: ''}
  def Collect(line: string)
    if state.excess !=# ''
      return
    endif
    output->add(line)
    state.size += len(line) + 1
    state.excess = state.size > limits.largest ? $'{limits.largest / 1000000} MB'
      : len(output) > limits.most_lines ? $'{limits.most_lines} lines' : ''
    if state.excess !=# ''
      shell_command.Kill(state.job)
      Done({excess: state.excess}, [])
    endif
  enddef
  def Conclude(code: number, signal: string)
    const said = errors->copy()->filter((_, line) => line =~# '\S')->get(0, '')
    final outcome = {code: code, signal: toupper(signal), said: said, is_empty: !!empty(output)}
    Done(outcome, WithoutLineEnds(output))
  enddef
  const Inside = (command) => {
    inside.Run(bufnr, command)
  }
  const command = shell_command.Expand(formatter.name, Inside)
  const folder = getcwd(max([bufwinid(bufnr), 0]))
  # One more tells that there was more.
  const most = {bytes: limits.largest + 1, lines: limits.most_lines + 1}
  state.job = shell_command.Start(command, folder, getbufline(bufnr, 1, '$'), most, Collect,
    (line) => errors->add(line), Conclude)
  return () => shell_command.Stop(state.job)
enddef

defcompile
