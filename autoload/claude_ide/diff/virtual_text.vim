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

final hidden: dict<dict<any>> = {} # {holders, props} by buffer: the properties that were removed
var timer = 0

def PluginOf(prop: dict<any>): number
  return PLUGINS->indexof((_, each) => prop.type =~# each.types)
enddef

# Remove the texts of which some lines have one beside theirs. One that could not be restored stays.
def HideIn(bufnr: number, first: number, last: number)
  const types = prop_list(first, {bufnr: bufnr, end_lnum: last})
    ->filter((_, prop) => prop.col == 0 || prop.col == MAXCOL)
    ->mapnew((_, prop) => prop.type)->sort()->uniq()
  var is_changed = false
  for type in types
    const props = prop_list(1, {bufnr: bufnr, end_lnum: -1, types: [type]})
    if PluginOf({type: type}) >= 0 || props->indexof((_, prop) => prop.col == MAXCOL) < 0
      hidden[bufnr].props->filter((_, prop) => prop.type !=# type)->extend(props)
      prop_remove({type: type, bufnr: bufnr, all: true})
      is_changed = true
    endif
  endfor
  if is_changed
    DrawLines(bufnr)
  endif
enddef

# Vim draws only the lines that had a text, although others have moved, unless an option is set.
def DrawLines(bufnr: number)
  for win in win_findbuf(bufnr)
    const [tab, number] = win_id2tabwin(win)
    noautocmd settabwinvar(tab, number, '&wrap', gettabwinvar(tab, number, '&wrap'))
  endfor
enddef

# Hide what the windows show again.
def Look(_: number)
  for bufnr in keys(hidden)->mapnew((_, key) => str2nr(key))->filter((_, bufnr) => bufloaded(bufnr))
    for win in win_findbuf(bufnr)
      const info = getwininfo(win)[0]
      HideIn(bufnr, info.topline, max([info.topline, info.botline]))
    endfor
  endfor
enddef

# Hide the virtual text of a loaded buffer, until `Show` is called as often.
export def Hide(bufnr: number)
  if !has_key(hidden, bufnr)
    hidden[bufnr] = {holders: 0, props: []}
    HideIn(bufnr, 1, -1)
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
  const props: list<dict<any>> = remove(hidden, bufnr).props
  if empty(hidden)
    timer_stop(timer)
    timer = 0
  endif
  if !bufloaded(bufnr)
    return
  endif
  # Neither plugins nor lines that are gone may keep a diff from closing.
  for plugin in props->mapnew((_, prop) => PluginOf(prop))->sort('n')->uniq()
    if plugin >= 0
      reason.Try(PLUGINS[plugin].Draw, [bufnr])
    endif
  endfor
  for prop in props->copy()->filter((_, each) => PluginOf(each) < 0)
    reason.Try(Restore, [bufnr, prop])
  endfor
enddef

defcompile
