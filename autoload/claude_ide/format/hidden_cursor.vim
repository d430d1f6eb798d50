vim9script
# The cursor of a buffer that no window shows. Vim moves it with each change of the text, to another
# line if its own is replaced, and no function can set it. So it is set when the buffer is shown.

const TYPE = 'claude_ide_hidden_cursor' # of the text property that stays with the line

# The cursor's line in a loaded buffer; 0 if a window shows it, and keeps the cursor itself.
export def Line(bufnr: number): number
  return empty(win_findbuf(bufnr)) ? getbufinfo(bufnr)[0].lnum : 0
enddef

def Forget(bufnr: number)
  if !empty(prop_type_get(TYPE, {bufnr: bufnr}))
    prop_remove({type: TYPE, bufnr: bufnr, all: true})
  endif
enddef

# Only for the autocommand: a window shows the buffer, which may have been unloaded in the meantime.
export def Restore(bufnr: number)
  const found = empty(prop_type_get(TYPE, {bufnr: bufnr})) ? []
    : prop_list(1, {bufnr: bufnr, end_lnum: -1, types: [TYPE]})
  if !empty(found)
    cursor(found[0].lnum, col('.'))
    Forget(bufnr)
  endif
enddef

# Have the cursor in this line, which may still move, once a window shows the buffer.
export def Keep(bufnr: number, lnum: number)
  if lnum == 0 || !bufloaded(bufnr)
    return
  elseif empty(prop_type_get(TYPE, {bufnr: bufnr}))
    prop_type_add(TYPE, {bufnr: bufnr})
  endif
  Forget(bufnr)
  prop_add(lnum, 1, {type: TYPE, bufnr: bufnr})
  augroup claude_ide_hidden_cursor
    execute $'autocmd! * <buffer={bufnr}>'
    execute $'autocmd BufWinEnter <buffer={bufnr}> ++once'
      .. $' claude_ide#format#hidden_cursor#Restore({bufnr})'
  augroup END
enddef

defcompile
