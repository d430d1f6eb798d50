vim9script
scriptencoding utf-8
# Words behind a line that say what Claude does with it. They stay with the line when it moves.

import autoload '../messages/plain.vim'
import autoload '../messages/screen.vim'

var last = 0

# A new note, which is not shown yet. `lnum` is where it will be.
export def New(bufnr: number, lnum: number): dict<any>
  last += 1
  return {bufnr: bufnr, lnum: lnum, type: $'claude_ide_note_{last}'}
enddef

def Type(note: dict<any>): dict<any>
  return {type: note.type, bufnr: note.bufnr}
enddef

# Show or replace the words of a note. They are text within the line, at its end: with text that is
# aligned after the line, Vim shows only "@" from a line on that has filler lines of a diff above it.
export def Show(note: dict<any>, words: string)
  const bufnr: number = note.bufnr
  if !bufloaded(bufnr)
    return
  endif
  if empty(prop_type_get(note.type, {bufnr: bufnr}))
    prop_type_add(note.type, {bufnr: bufnr, highlight: hlexists('Comment') ? 'Comment' : 'NonText'})
  endif
  const found = prop_list(1, {bufnr: bufnr, end_lnum: -1, types: [note.type]})
  const lnum: number = empty(found) ? note.lnum : found[0].lnum
  prop_remove(extend(Type(note), {all: true}))
  const row = max([1, min([lnum, getbufinfo(bufnr)[0].linecount])])
  const column = len(getbufline(bufnr, row)[0]) + 1
  prop_add(row, column, extend(Type(note), {text: '  ' .. plain.OneLine(words)}))
  screen.Draw()
enddef

# What Claude does: a verb such as "rewriting", and its progress, which may be empty.
export def ShowProgress(note: dict<any>, verb: string, progress: string)
  Show(note, $'Claude is {verb}' .. (progress ==# '' ? '…' : $' ({progress})'))
enddef

# Remove a note.
export def Remove(note: dict<any>)
  const bufnr: number = note.bufnr
  if bufloaded(bufnr) && !empty(prop_type_get(note.type, {bufnr: bufnr}))
    prop_remove(extend(Type(note), {all: true}))
    prop_type_delete(note.type, {bufnr: bufnr})
    screen.Draw()
  endif
enddef

defcompile
