vim9script
# Formats files for the model with the user's own formatters. The new text is only computed: the user
# reviews it before it is applied.

import autoload './edits.vim'
import autoload '../diagnostics/unopened.vim'
import autoload '../file/edit.vim' as file_edit
import autoload '../file/folders.vim'
import autoload '../file/rebase.vim'
import autoload '../file/text.vim' as buffer_text
import autoload '../file/whereabouts.vim'
import autoload '../format/choice.vim'
import autoload '../say/reason.vim'

def LinesOf(bufnr: number): list<string>
  return getbufline(bufnr, 1, '$')
enddef

# An area with as many lines as before consists of changes of single lines.
def Single(area: list<number>): list<list<number>>
  const [from, to, start, end] = area
  return to - from != end - start ? [area]
    : range(to - from)->mapnew((_, row) => [from + row, from + row + 1, start + row, start + row + 1])
enddef

# The lines with only those changes that touch some lines (1-based). An insertion touches the line
# after it.
def Within(before: list<string>, after: list<string>, first: number, last: number): list<string>
  var lines = before
  for area in rebase.Areas(before, after)->mapnew((_, each) => Single(each))->flattennew(1)->reverse()
    const [from, to, start, end] = area
    if from < last && max([to, from + 1]) >= first
      lines = rebase.Part(lines, 0, from) + rebase.Part(after, start, end - start) + lines[to :]
    endif
  endfor
  return lines
enddef

# The text crosses the channel as a string, which cannot contain NULs or other bytes.
def CheckText(path: string, lines: list<string>)
  if !buffer_text.IsUtf8(lines)
    throw $'claude-ide: {path}: not valid UTF-8'
  elseif lines->indexof((_, line) => stridx(line, "\n") >= 0) >= 0
    throw $'claude-ide: {path}: contains NUL characters'
  endif
enddef

# What a buffer's text would become: an `EditedFile` of the host, or nothing if it would stay.
def Changed(bufnr: number, path: string, lines: list<string>): list<dict<any>>
  const before = LinesOf(bufnr)
  if before ==# lines
    return []
  elseif getbufvar(bufnr, '&readonly') || !getbufvar(bufnr, '&modifiable')
    throw $'claude-ide: {path} is read-only in Vim; nothing was changed'
  endif
  const text = buffer_text.WithLines(bufnr, lines)
  CheckText(path, text)
  const where = whereabouts.Of(path, folders.All())
  final file: dict<any> = {
    path: path,
    text: join(text, "\n"),
    digest: edits.Digest(bufnr),
    lines: max(rebase.Count(before, lines)),
    warning: where.warning,
    target: where.target,
  }
  if getbufvar(bufnr, '&modified')
    extend(file, {unsaved: bufnr, warning: ''})
  endif
  return [file]
enddef

# The lines to format, 1-based; those of the whole file if the model names none.
def Propose(bufnr: number, arguments: dict<any>, output: list<string>): list<dict<any>>
  var after = file_edit.InBuffer(output)
  const line = get(arguments, 'line', v:null)
  if type(line) == v:t_number
    const last = get(arguments, 'end_line', v:null)
    after = Within(LinesOf(bufnr), after, line, type(last) == v:t_number ? last : line)
  endif
  return Changed(bufnr, arguments.file, after)
enddef

# Answer with the result of a formatter, if it changes something.
def Answered(run: dict<any>, index: number, output: list<string>): bool
  const files = Propose(run.bufnr, run.arguments, output)
  if empty(files)
    return false
  endif
  call(run.Answer, [{
    files: files,
    server: run.formatters[index].name,
    others: run.formatters[index + 1 :]->mapnew((_, formatter) => formatter.name),
  }])
  return true
enddef

def Conclude(run: dict<any>)
  call(run.Answer, [empty(run.asked) ? {error: join(run.failures, '; ')}
    : {files: [], server: join(run.asked, ' and '), failures: run.failures}])
enddef

# Each further formatter would format the result of the one before. So the first that changes something
# ends the run.
def Try(run: dict<any>, index: number)
  if index == len(run.formatters)
    Conclude(run)
    return
  endif
  const name: string = run.formatters[index].name
  run.index = index
  def Done(failure: string, output: list<string>)
    if !bufloaded(run.bufnr) || LinesOf(run.bufnr) !=# run.lines
      call(run.Answer, [{error: $'{run.arguments.file} was changed meanwhile; call the tool again'}])
      return
    endif
    const answered = failure !=# '' ? [false, failure]
      : reason.Attempt(Answered, [run, index, output])
    if answered == [true, true]
      return
    elseif answered[0]
      run.asked->add(name)
    else
      run.failures->add($'{name}: {answered[1]}')
    endif
    Try(run, index + 1)
  enddef
  const Start: func = run.formatters[index].Format
  const started = reason.Attempt(Start, [Done])
  if !started[0]
    Done(started[1], [])
  elseif run.index == index
    run.Stop = started[1]
  endif
enddef

def Begin(arguments: dict<any>, Answer: func): func
  const loaded = unopened.Load(arguments.file)
  if !has_key(loaded, 'bufnr')
    throw 'claude-ide: ' .. get(loaded, 'error', $'{arguments.file}: {get(loaded, "obstacle", "")}')
  endif
  const bufnr: number = loaded.bufnr
  final run: dict<any> = {
    bufnr: bufnr,
    arguments: arguments,
    formatters: [],
    lines: [],
    asked: [], # names of the formatters that change nothing
    failures: [],
    Answer: (answer) => call(Answer, [answer]),
    index: 0, # of the formatter that is running
    Stop: () => 0, # ends it
    is_cancelled: false,
  }
  choice.Find(bufnr, loaded.is_cold, (formatters) => {
    if run.is_cancelled
      return
    elseif empty(formatters)
      call(Answer, [{error: $'{arguments.file} has no formatter'}])
      return
    endif
    run.formatters = formatters
    run.lines = LinesOf(bufnr)
    Try(run, 0)
  })
  return () => {
    run.is_cancelled = true
    call(run.Stop, [])
  }
enddef

# Answers the formatted file as the only one of `files`, or none; the `server` that was asked, and the
# `others` that were not.
export def Format(arguments: dict<any>): func
  return (Answer) => Begin(arguments, Answer)
enddef

defcompile
