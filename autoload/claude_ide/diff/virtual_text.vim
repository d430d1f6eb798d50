vim9script
# Virtual text below, above or behind the lines of a file is hidden while it is compared. Between lines
# it takes rows, and the two sides no longer line up. Behind a line that follows filler lines, Vim 9.0
# to 9.2 draw nothing below it.

import autoload '../diagnostics/source/ale.vim'
import autoload '../diagnostics/source/vim_lsp.vim'
import autoload '../diagnostics/source/yegappan_lsp.vim'
import autoload '../messages/reason.vim'

const PERIOD = 200 # milliseconds: no event follows when a plugin has drawn
const MAXCOL = 2147483647 # of such a text in a Vim that does not tell what it says
const KEPT = ['text', 'text_align', 'text_padding_left', 'text_wrap']

# Plugins that draw their texts again when they are asked to, by the names of their types.
const PLUGINS = [
  {types: '^ALEVirtualText', Draw: ale.DrawTexts},
  {types: '^vim_lsp_\w\+_virtual_text$', Draw: vim_lsp.DrawTexts},
  {types: '^LspDiagVirtualText', Draw: yegappan_lsp.DrawTexts},
]

# {holders, plugins, kept} by buffer: `plugins` are indexes of `PLUGINS`, `kept` the properties of
# other types.
final hidden: dict<dict<any>> = {}
var timer = 0

def IsBesideText(prop: dict<any>): bool
  return prop.col == 0 || prop.col == MAXCOL
enddef

# The types of texts that are beside those of some lines.
def Types(bufnr: number, first: number, last: number): list<string>
  return prop_list(first, {bufnr: bufnr, end_lnum: last})
    ->filter((_, prop) => IsBesideText(prop))->mapnew((_, prop) => prop.type)->sort()->uniq()
enddef

# Returns whether the texts of a type could be hidden: otherwise they could not be restored.
def HideType(bufnr: number, type: string): bool
  const plugin = PLUGINS->indexof((_, each) => type =~# each.types)
  if plugin >= 0
    hidden[bufnr].plugins[plugin] = true
  else
    const all = prop_list(1, {bufnr: bufnr, end_lnum: -1, types: [type]})
    if all->indexof((_, prop) => prop.col == MAXCOL) >= 0
      return false
    endif
    hidden[bufnr].kept[type] = all
  endif
  prop_remove({type: type, bufnr: bufnr, all: true})
  return true
enddef

# Vim draws only the lines that had a text, although others have moved, unless an option is set.
def DrawLines(bufnr: number)
  for win in win_findbuf(bufnr)
    const [tab, number] = win_id2tabwin(win)
    noautocmd settabwinvar(tab, number, '&wrap', gettabwinvar(tab, number, '&wrap'))
  endfor
enddef

def HideAll(bufnr: number)
  const gone = Types(bufnr, 1, -1)->filter((_, type) => HideType(bufnr, type))
  if !empty(gone)
    DrawLines(bufnr)
  endif
enddef

# Whether a window on a buffer shows such a text again.
def IsDrawn(bufnr: number): bool
  return win_findbuf(bufnr)->indexof((_, win) => {
    const info = getwininfo(win)[0]
    return !empty(Types(bufnr, info.topline, max([info.topline, info.botline])))
  }) >= 0
enddef

def Look(_: number)
  for bufnr in keys(hidden)->mapnew((_, key) => str2nr(key))
    if bufloaded(bufnr) && IsDrawn(bufnr)
      HideAll(bufnr)
    endif
  endfor
enddef

# Hide the virtual text of a loaded buffer, until `Show` is called as often.
export def Hide(bufnr: number)
  if !has_key(hidden, bufnr)
    hidden[bufnr] = {holders: 0, plugins: {}, kept: {}}
    HideAll(bufnr)
  endif
  hidden[bufnr].holders += 1
  if timer == 0
    timer = timer_start(PERIOD, Look, {repeat: -1})
  endif
enddef

def Restore(bufnr: number, prop: dict<any>)
  const how = has_key(prop, 'text') ? copy(prop)->filter((key, _) => index(KEPT, key) >= 0)
    : {id: prop.id, length: prop.length}
  prop_add(prop.lnum, prop.col, extend({bufnr: bufnr, type: prop.type}, how))
enddef

# Show the virtual text again.
export def Show(bufnr: number)
  if !has_key(hidden, bufnr)
    return
  endif
  hidden[bufnr].holders -= 1
  if hidden[bufnr].holders > 0
    return
  endif
  const record = remove(hidden, bufnr)
  if empty(hidden)
    timer_stop(timer)
    timer = 0
  endif
  if !bufloaded(bufnr)
    return
  endif
  # Neither plugins nor lines that are gone may keep a diff from closing.
  for plugin in keys(record.plugins)
    reason.Try(PLUGINS[str2nr(plugin)].Draw, [bufnr])
  endfor
  for prop in values(record.kept)->flattennew(1)
    reason.Try(Restore, [bufnr, prop])
  endfor
enddef

defcompile
