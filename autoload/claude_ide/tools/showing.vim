vim9script
# Shows the user something for the model, without taking the user away from what they do.

import autoload '../file/load.vim' as file_load
import autoload '../file/open.vim' as open_files
import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/location.vim'

const TALLEST = 10 # lines of the quickfix window
const LINES = 'ClaudeShown'
const NOTE = 'ClaudeShownNote'

# Open a file at a place. The focus follows if the user is in a file and does nothing there: not in a terminal,
# where they may go on typing, nor in a selection of theirs.
export def Open(arguments: dict<any>): dict<any>
  const may_move = &buftype ==# '' && (mode() !~# "^[vV\<C-v>]" || moment.IsClaudesVisual())
  final request = {path: arguments.file, make_frontmost: may_move}
  return open_files.OpenFile(extend(request, arguments))
enddef

def OpenWindow(count: number)
  const here = location.Current()
  execute $'botright copen {max([2, min([count, TALLEST])])}'
  location.GoBack(here)
  moment.Settle()
  screen.Draw()
enddef

# Open the window of the quickfix list without entering it, as soon as that disturbs nobody.
export def OpenList(arguments: dict<any>): func
  return (Answer) => moment.WhenFree(() => {
    OpenWindow(arguments.count)
    Answer({})
  }, (why) => Answer({error: why}))
enddef

# The buffer of a range, loaded. Throws an error if its file has no such line.
def Load(range: dict<any>): number
  const added = file_load.Add(range.file)
  if has_key(added, 'refusal')
    throw 'claude-ide: ' .. added.refusal
  endif
  const problem = file_load.Hidden(added.bufnr).error
  if problem !=# ''
    throw $'claude-ide: {range.file}: {problem}'
  endif
  setbufvar(added.bufnr, '&buflisted', true)
  const count = getbufinfo(added.bufnr)[0].linecount
  if range.line > count
    throw $'claude-ide: there is no line {range.line}; the file has {count}'
  endif
  return added.bufnr
enddef

def DefineTypes()
  for [type, group] in [[LINES, 'Visual'], [NOTE, 'Comment']]
    execute $'highlight default link {type} {group}'
    if empty(prop_type_get(type))
      prop_type_add(type, {highlight: type})
    endif
  endfor
enddef

# A text after the line has been possible since 9.0.0067.
def Mark(bufnr: number, range: dict<any>)
  const count = getbufinfo(bufnr)[0].linecount
  const last = max([range.line, min([get(range, 'end_line', range.line), count])])
  prop_add(range.line, 1, {
    bufnr: bufnr,
    type: LINES,
    end_lnum: last,
    end_col: len(claude_ide#places#Line(bufnr, last)) + 1,
  })
  const note: string = get(range, 'note', '')
  if note !=# ''
    prop_add(range.line, 0, {
      bufnr: bufnr,
      type: NOTE,
      text: '  ' .. plain.OneLine(note),
      text_align: 'after',
    })
  endif
enddef

# Highlight lines, with notes, until the user dismisses them. All, or none after an error.
export def Highlight(arguments: dict<any>): dict<any>
  const ranges: list<dict<any>> = arguments.ranges
  const bufnrs = ranges->mapnew((_, range) => Load(range))
  DefineTypes()
  for [index, range] in items(ranges)
    Mark(bufnrs[index], range)
  endfor
  screen.Draw()
  return {}
enddef

# Remove all highlights.
export def Dismiss(_: dict<any> = {}): dict<any>
  for type in [LINES, NOTE]->filter((_, type) => !empty(prop_type_get(type)))
    for info in getbufinfo({bufloaded: 1})
      prop_remove({type: type, bufnr: info.bufnr, all: true})
    endfor
  endfor
  return {}
enddef

defcompile
