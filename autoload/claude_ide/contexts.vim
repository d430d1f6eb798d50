vim9script
# What the placeholders of a text mean where the user is, in one instant. The host says it in words,
# and judges what may leave the editor (`editor/contexts.py`).
#
# Where the user is: `win`, `bufnr`, `cursor` (line, byte column from 1), and the `selection`, empty
# without one: its `first` and `last` line, its `lines`, its `kind` ("lines", "part", "block"), and the `paths` that
# the lines of a list are about.

import autoload './file/path.vim' as file
import autoload './messages/reason.vim'
import autoload './selection/visual.vim'
import autoload './window/recent.vim'

const MOST_PRINTED = 100 # lines of a terminal
const KINDS = {v: 'v', V: 'V', "\<C-v>": "\<C-v>", s: 'v', S: 'V', "\<C-s>": "\<C-v>"}
const NAMES = {v: 'part', V: 'lines', "\<C-v>": 'block'}
const OF_OPERATOR = {char: 'v', line: 'V', block: "\<C-v>"}

def LinesOf(bufnr: number, first: number, last: number): dict<any>
  return {
    first: first,
    last: last,
    lines: getbufline(bufnr, first, last),
    kind: 'lines',
    paths: claude_ide#places#About(bufnr, first, last),
  }
enddef

# `to_eol`: whether a block extends to the ends of its lines.
def Area(kind: string, from: list<number>, to: list<number>, to_eol: bool): dict<any>
  if kind ==# 'V'
    return LinesOf(bufnr(), min([from[1], to[1]]), max([from[1], to[1]]))
  endif
  const found = visual.Area(kind, from, to, to_eol)
  const ends_before = found.last.col == 0 && found.last.row > found.first.row
  const first = found.first.row + 1
  const last = found.last.row + (ends_before ? 0 : 1)
  var lines: list<string> = found.text
  if len(lines) > 1 && lines[-1] ==# ''
    lines = lines[: -2]
  endif
  return {
    first: first,
    last: last,
    lines: lines,
    kind: NAMES[kind],
    paths: claude_ide#places#About(bufnr(), first, last),
  }
enddef

# What is selected in Visual mode, of a kind.
def Selected(kind: string): dict<any>
  return Area(kind, getpos('v'), getpos('.'), getcurpos()[4] == v:maxcol)
enddef

# Whether a range is that of `:'<,'>` after the Visual mode that has just ended, in which less than
# whole lines were selected: the cursor is still at an end, or in the upper left corner of a block.
def IsOfSelection(lines: list<number>): bool
  const ends = [getpos("'<"), getpos("'>")]
  if index(['v', "\<C-v>"], visualmode()) < 0 || lines != [ends[0][1], ends[1][1]]
    return false
  elseif visualmode() ==# "\<C-v>"
    const left = min([virtcol("'<", true)[0], virtcol("'>", true)[0]])
    const here = virtcol('.', true)
    return line('.') == lines[0] && here[0] <= left && left <= here[1]
  endif
  return ends->indexof((_, pos) =>
    line('.') == pos[1] && (col('.') == pos[2] || pos[2] == v:maxcol)) >= 0
enddef

# What was selected in it. Only `gv` knows whether a block extended to the ends of its lines.
def SelectedBefore(): dict<any>
  const view = winsaveview()
  noautocmd normal! gv
  const found = Selected(visualmode())
  execute "noautocmd normal! \<Esc>"
  winrestview(view)
  return found
enddef

# Where the user is, and what is selected there: in Visual mode that, otherwise the range.
export def Here(range: list<number> = []): dict<any>
  const kind = get(KINDS, mode(), '')
  var selection: dict<any> = {}
  if kind !=# ''
    selection = Selected(kind)
  elseif !empty(range) && IsOfSelection(range)
    selection = SelectedBefore()
  elseif !empty(range)
    selection = LinesOf(bufnr(), range[0], range[1])
  endif
  return {win: win_getid(), bufnr: bufnr(), cursor: [line('.'), col('.')], selection: selection}
enddef

# The same for what an operator covers; its kind is that which 'operatorfunc' gets.
export def Covered(kind: string, to_eol: bool): dict<any>
  return extend(Here(), {selection: Area(OF_OPERATOR[kind], getpos("'["), getpos("']"), to_eol)})
enddef

def Nothing(_: dict<any>): dict<any>
  return {}
enddef

def Line(here: dict<any>): dict<any>
  return {current: LinesOf(here.bufnr, here.cursor[0], here.cursor[0])}
enddef

def Refuse(words: string)
  throw 'claude-ide: ' .. words
enddef

# A `:throw` in here would need a `:return` for one Vim, which another one calls unreachable.
def Lacking(_: dict<any>): dict<any>
  Refuse('only Neovim has tree-sitter')
  return {}
enddef

# What `places.vim` finds, for Neovim, too.
def Shared(name: string): func
  return (here) => {
    const win = win_id2tabwin(here.win) == [0, 0] ? win_getid() : here.win
    win_execute(win, $'legacy let g:claude_ide_value = claude_ide#places#{name}({here.bufnr})')
    return {[name]: remove(g:, 'claude_ide_value')}
  }
enddef

def Terminal(_: dict<any>): dict<any>
  const ordinary = term_list()
    ->filter((_, bufnr) => buflisted(bufnr) && !getbufvar(bufnr, 'claude_ide_terminal', false))
  if empty(ordinary)
    return {}
  endif
  const bufnr = recent.Sort(ordinary)[0]
  var lines = getbufline(bufnr, 1, '$')
  if term_getstatus(bufnr) =~# 'running' && term_getstatus(bufnr) !~# 'normal'
    # Vim puts what is on the screen into the buffer a moment later.
    const scrolled = term_getscrolled(bufnr)
    lines = scrolled > 0 ? lines[: scrolled - 1] : []
    lines += range(1, term_getsize(bufnr)[0])->mapnew((_, row) => term_getline(bufnr, row))
  endif
  while !empty(lines) && lines[-1] ==# ''
    lines->remove(-1)
  endwhile
  const job = term_getjob(bufnr)
  const pid = type(job) == v:t_job ? job_info(job).process : 0
  const folder = resolve($'/proc/{pid}/cwd')
  return {
    terminal: {
      name: bufname(bufnr),
      lines: lines[- MOST_PRINTED :],
      folder: stridx(folder, '/proc/') == 0 ? '' : folder,
    },
  }
enddef

# By the name of a placeholder: what sets its field. The others need nothing but what is always there.
const FACTS: dict<func> = {
  line: Line,
  function: Lacking,
  class: Lacking,
  quickfix: Shared('quickfix'),
  loclist: Shared('loclist'),
  buffers: Shared('buffers'),
  visible: Shared('visible'),
  marks: Shared('marks'),
  terminal: Terminal,
}

# The user's functions, by their names.
def Own(): dict<func>
  const given = claude_ide#editor#Option('contexts')
  final found: dict<func> = {}
  for [name, Context] in type(given) == v:t_dict ? items(given) : []
    if type(Context) == v:t_func
      found[name] = Context
    endif
  endfor
  return found
enddef

def Call(name: string, Context: func, here: dict<any>): dict<any>
  const selection = here.selection
  const said: any = call(Context, [{
    bufnr: here.bufnr,
    win: here.win,
    line: here.cursor[0],
    column: here.cursor[1],
    first: get(selection, 'first', 0),
    last: get(selection, 'last', 0),
  }])
  if type(said) != v:t_string
    throw 'claude-ide: its function returned no text'
  elseif said !~# '\S'
    throw 'claude-ide: it has nothing to say here'
  endif
  return {[name]: said}
enddef

# What the placeholders of a text mean (`Facts` of the port).
export def Facts(here: dict<any>, text: string): dict<any>
  const at = getbufline(here.bufnr, here.cursor[0])->get(0, '')
  final facts: dict<any> = {
    folder: getcwd(),
    path: file.Path(here.bufnr),
    name: fnamemodify(bufname(here.bufnr), ':.') ?? '[No Name]',
    line: here.cursor[0],
    column: strchars(strpart(at, 0, here.cursor[1] - 1)) + 1,
    own: {},
    problems: {},
  }
  if !empty(here.selection)
    facts.selection = here.selection
  endif
  const own = Own()
  final names = claude_ide#arguments#Placeholders()
    ->filter((_, name) => stridx(text, '{' .. name .. '}') >= 0)
  def Try(name: string, Describe: func, arguments: list<any>): dict<any>
    const found = reason.Attempt(Describe, arguments)
    if !found[0]
      facts.problems[name] = found[1]
    endif
    return found[0] ? found[1] : {}
  enddef
  # The user's functions may go elsewhere, so they come last.
  for name in copy(names)->filter((_, name) => !has_key(own, name))
    extend(facts, Try(name, get(FACTS, name, Nothing), [here]))
  endfor
  for name in names->filter((_, name) => has_key(own, name))
    extend(facts.own, Try(name, Call, [name, own[name], here]))
  endfor
  return facts
enddef

defcompile
