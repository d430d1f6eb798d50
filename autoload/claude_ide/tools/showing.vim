vim9script
# Shows the user something for the model, without taking the user away from what they do.

import autoload './place.vim'
import autoload '../file/buffers.vim'
import autoload '../file/gate.vim'
import autoload '../file/load.vim' as file_load
import autoload '../file/open.vim' as open_files
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'
import autoload '../timing/moment.vim'
import autoload '../window/location.vim'

const TALLEST = 10 # lines of the quickfix window
const LONGEST_NOTE = 200 # columns
const LINES = 'ClaudeShown'
const NOTE = 'ClaudeShownNote'

# Not in a terminal, where the user may go on typing, nor in a selection of theirs.
def MayMoveFocus(): bool
  return &buftype ==# '' && (mode() !~# "^[vV\<C-v>]" || moment.IsClaudesVisual())
enddef

# Open a file at a place. The focus follows if the user is in a file and does nothing there.
export def Open(arguments: dict<any>): dict<any>
  final request = {path: arguments.file, make_frontmost: MayMoveFocus()}
  return open_files.OpenFile(extend(request, arguments))
enddef

# Throws an error that names a wrong path.
def Existing(path: string): string
  const checked = gate.Existing(path)
  if has_key(checked, 'refusal')
    throw 'claude-ide: ' .. checked.refusal
  endif
  return checked.path
enddef

# A column of the model's in bytes, from 1; 0 if there is none.
def ByteColumn(path: string, line: number, column: number): number
  const text = place.Line(buffers.Loaded(path), line)
  return column == 0 || text ==# '' ? column : place.Byte(text, column) + 1
enddef

# An entry of a quickfix list.
def Entry(item: dict<any>): dict<any>
  const path = Existing(item.file)
  return {
    filename: path,
    lnum: item.line,
    col: ByteColumn(path, item.line, get(item, 'column', 0)),
    end_lnum: get(item, 'end_line', 0),
    # Under this key a text is a list of lines (`editor/vim.py`).
    text: plain.OneLine(get(item, 'text', [])->join()),
    type: get(item, 'kind', ''),
  }
enddef

def IsOurs(context: any): bool
  return type(context) == v:t_dict && get(context, 'claude_ide', false)
enddef

# Put entries into a list: into the current one if they are appended, or if it is one that a model
# has set; otherwise into a new one after all others, so that the user's lists remain.
def Put(arguments: dict<any>, entries: list<dict<any>>)
  const is_location = arguments.list ==# 'location'
  const win = is_location ? place.Window() : 0
  const wanted = {id: 0, context: 1}
  const current = is_location ? getloclist(win, wanted) : getqflist(wanted)
  final what: dict<any> = {items: entries}
  var action = 'a'
  if arguments.how ==# 'append' && current.id != 0
    what.id = current.id
  else
    extend(what, {title: plain.OneLine(arguments.title), context: {claude_ide: true}})
    const is_new = arguments.how ==# 'new' || !IsOurs(current.context)
    action = is_new ? ' ' : 'r'
    extend(what, is_new ? {nr: '$'} : {id: current.id})
  endif
  if is_location
    setloclist(win, [], action, what)
  else
    setqflist([], action, what)
  endif
enddef

# Open the window of the quickfix list without entering it.
def OpenWindow(count: number)
  const here = location.Current()
  execute $'botright copen {max([2, min([count, TALLEST])])}'
  location.GoBack(here)
  moment.Settle()
  screen.Draw()
enddef

# Set the quickfix list, or the location list of the window that the user works in.
export def List(arguments: dict<any>): any
  const entries: list<dict<any>> = arguments.entries->mapnew((_, item) => Entry(item))
  Put(arguments, entries)
  const answer = {count: len(entries)}
  if !arguments.open
    return answer
  endif
  return (Answer) => moment.WhenFree(() => {
    OpenWindow(len(entries))
    Answer(answer)
  }, (why) => Answer({error: why}))
enddef

# The buffer of a range, loaded. Throws an error if its file has no such line.
def Load(range: dict<any>): number
  const path = Existing(range.file)
  const added = file_load.Add(path)
  if has_key(added, 'refusal')
    throw 'claude-ide: ' .. added.refusal
  endif
  const problem = file_load.Hidden(added.bufnr).error
  if problem !=# ''
    throw $'claude-ide: {path}: {problem}'
  endif
  setbufvar(added.bufnr, '&buflisted', true)
  place.CheckLine(added.bufnr, range.line)
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
    end_col: len(place.Line(bufnr, last)) + 1,
  })
  const note: string = get(range, 'note', '')
  if note !=# ''
    prop_add(range.line, 0, {
      bufnr: bufnr,
      type: NOTE,
      text: '  ' .. message.Fit(note, LONGEST_NOTE),
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
  return {count: len(ranges)}
enddef

# Remove all highlights.
export def Dismiss()
  for type in [LINES, NOTE]->filter((_, type) => !empty(prop_type_get(type)))
    for info in getbufinfo({bufloaded: 1})
      prop_remove({type: type, bufnr: info.bufnr, all: true})
    endfor
  endfor
enddef

# The same for the model.
export def Clear(_: dict<any>): dict<any>
  Dismiss()
  return {count: 0}
enddef

defcompile
