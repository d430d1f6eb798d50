vim9script
# Shows the user something for the model, without taking the user away from what they do.

import autoload './screen.vim' as tool_screen
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

# Put `entries` into the quickfix list, or the location list of the window that the user works in: into
# the list with an `id`; into the current one if they are appended; otherwise into a new one after all
# others, so that the user's lists remain, or ours if it is the current one and `how` is "set". Returns
# the `id`.
export def List(arguments: dict<any>): dict<number>
  const win = arguments.list ==# 'location' ? tool_screen.Window() : 0
  const Read = (what) => win > 0 ? getloclist(win, what) : getqflist(what)
  const current = Read({id: 0, context: 1})
  # Under this key a text is a list of lines (`editor/vim.py`).
  const entries = arguments.entries->mapnew((_, entry) =>
    extendnew(entry, {text: plain.OneLine(entry.text->join())}))
  const appended: number = arguments.how ==# 'append' ? current.id : 0
  const id: number = appended > 0 ? appended : get(arguments, 'id', 0)
  final what: dict<any> = {items: entries}
  var action = 'a'
  if id > 0
    what.id = id
  else
    const is_ours = type(current.context) == v:t_dict && get(current.context, 'claude_ide', false)
    const replaces = arguments.how ==# 'set' && is_ours
    action = replaces ? 'r' : ' '
    extend(what, replaces ? {id: current.id} : {nr: '$'})
    extend(what, {title: plain.OneLine(arguments.title), context: {claude_ide: true}})
  endif
  if win > 0
    setloclist(win, [], action, what)
  else
    setqflist([], action, what)
  endif
  return {id: get(what, 'id', 0) ?? Read({id: 0}).id}
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
