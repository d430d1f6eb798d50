" Facts for the model's tools, in both editors: unsaved texts, undo histories, files, registers, messages, and what an
" expression means where the user is.

let s:largest_bytes = 1000000 " of a text that is compared in a few milliseconds
let s:largest_undone_bytes = 500000 " of a text whose states are restored
let s:context_lines = 3
let s:most_lines = 2000 " of a register
let s:texts = []

" The buffer of a file that is loaded, without loading one; an error ends with what follows for the caller.
function s:open(path, consequence) abort
  let l:bufnr = claude_ide#editor#Loaded(a:path)
  if l:bufnr == 0
    throw printf('claude-ide: %s is not open in %s%s', a:path, has('nvim') ? 'Neovim' : 'Vim', a:consequence)
  endif
  return l:bufnr
endfunction

" Called by the host: rows of files, from 0: for each {path, rows} the lines in this order, empty for one that is not
" there; false for a file that is not loaded.
function claude_ide#tool_facts#Rows(wanted) abort
  return map(copy(a:wanted), {_, each -> claude_ide#editor#Loaded(each.path) == 0 ? v:false
        \ : s:rows(claude_ide#editor#Loaded(each.path), each.rows)})
endfunction

function s:rows(bufnr, rows) abort
  return map(copy(a:rows), {_, row -> claude_ide#places#Visible(claude_ide#places#Line(a:bufnr, row + 1))})
endfunction

function s:joined(lines) abort
  return join(map(copy(a:lines), {_, line -> claude_ide#places#Visible(line)}), "\n")
endfunction

" What differs in two texts: the host compares them for Vim, which often cannot.
function s:compared(older, newer) abort
  return !has('nvim') ? {'older': a:older, 'newer': a:newer} : {'diff': luaeval(
        \ '(vim.text.diff or vim.diff)(_A[1], _A[2], { ctxlen = _A[3] })', [a:older, a:newer, s:context_lines])}
endfunction

" A difference of a file on disk and its buffer, or a `note`.
function claude_ide#tool_facts#Unsaved(arguments) abort
  let l:path = claude_ide#editor#Path(a:arguments.bufnr)
  if has('nvim') ? luaeval("require('claude_ide.file.edit').is_translated(_A)", a:arguments.bufnr)
        \ : claude_ide#file#edit#IsTranslated(a:arguments.bufnr)
    return {'path': l:path, 'note': 'a plugin makes its text'}
  endif
  let l:text = has('nvim')
        \ ? luaeval("(require('claude_ide.file.text').get(_A):gsub('%z', '^@'))", a:arguments.bufnr)
        \ : s:joined(claude_ide#file#text#Get(a:arguments.bufnr))
  let l:saved_bytes = filereadable(l:path) ? getfsize(l:path) : 0
  if max([len(l:text), l:saved_bytes]) > s:largest_bytes
    return {'path': l:path, 'note': 'too large to compare'}
  endif
  let l:older = l:saved_bytes > 0 ? s:joined(readfile(l:path, 'b')) : ''
  return extend({'path': l:path}, s:compared(l:older, l:text))
endfunction

" The undo `tree` of a file's buffer, and the time `now`.
function claude_ide#tool_facts#UndoTree(arguments) abort
  let l:bufnr = s:open(a:arguments.file, ', so it has no undo history')
  " Before 9.1 `undotree()` of Vim knows only the current buffer.
  call claude_ide#editor#Inside(l:bufnr, 'let g:claude_ide_value = undotree()')
  return {'tree': remove(g:, 'claude_ide_value'), 'now': localtime()}
endfunction

" Called in a copy: its text in each of some states. Without a history there is no file with it.
function claude_ide#tool_facts#Restore(path, states) abort
  setlocal undolevels=1000
  let l:has_history = filereadable(a:path)
  if l:has_history
    execute 'silent rundo' fnameescape(a:path)
  endif
  let s:texts = []
  for l:state in a:states
    if l:has_history
      execute 'silent undo' l:state
    endif
    call add(s:texts, s:joined(getline(1, '$')) .. "\n")
  endfor
endfunction

" A copy of a text that no window shows: in Neovim a buffer, in Vim a hidden popup.
function s:copied(lines) abort
  if !has('nvim')
    return popup_create(a:lines, {'hidden': v:true})
  endif
  noautocmd let l:copy = nvim_create_buf(v:false, v:true)
  call nvim_buf_set_lines(l:copy, 0, -1, v:true, a:lines)
  return l:copy
endfunction

" The difference of two states, from a copy of the buffer that has the same undo history.
function claude_ide#tool_facts#UndoDiff(arguments) abort
  let l:bufnr = s:open(a:arguments.file, ', so it has no undo history')
  let l:lines = getbufline(l:bufnr, 1, '$')
  if len(join(l:lines, "\n")) > s:largest_undone_bytes
    throw 'claude-ide: the text is too large to compare'
  endif
  let l:path = tempname()
  let l:copy = s:copied(l:lines)
  let l:restore = printf('noautocmd call claude_ide#tool_facts#Restore(%s, [%d, %d])',
        \ string(l:path), a:arguments.from, a:arguments.to)
  try
    call claude_ide#editor#Inside(l:bufnr, 'silent noautocmd wundo! ' .. fnameescape(l:path))
    call call(has('nvim') ? 'claude_ide#editor#Inside' : 'win_execute', [l:copy, l:restore])
  finally
    execute has('nvim') ? 'silent! noautocmd bwipeout! ' .. l:copy : 'call popup_close(' .. l:copy .. ')'
    call delete(l:path)
  endtry
  return s:compared(s:texts[0], s:texts[1])
endfunction

" A buffer without a file is the user's own.
function s:named(path, bufnr) abort
  let l:is_open = a:path ==# '' || (a:bufnr > 0 && (has('nvim')
        \ ? luaeval("require('claude_ide.diagnostics.unopened').is_opened(_A)", a:bufnr)
        \ : claude_ide#diagnostics#unopened#IsOpened(a:bufnr)))
  let l:refusal = has('nvim') ? luaeval("select(2, require('claude_ide.file.path').existing(_A)) or ''", a:path)
        \ : get(claude_ide#file#path#Check(a:path, v:true), 'refusal', '')
  return {'path': a:path, 'is_open': l:is_open ? v:true : v:false, 'refusal': l:refusal}
endfunction

function s:named_file(file) abort
  if !has('nvim')
    let l:path = claude_ide#file#path#Absolute(a:file)
    return s:named(l:path, get(claude_ide#file#buffers#Lookup(l:path), 'bufnr'))
  endif
  let l:path = luaeval("require('claude_ide.file.path').absolute(_A)", a:file)
  return s:named(l:path, luaeval("(require('claude_ide.file.buffers').find(_A) or { bufnr = 0 }).bufnr", l:path))
endfunction

" The absolute `path` of each of the `files` and `buffers`; whether it `is_open`, that is, the user has opened it, or
" it is no file; and the `refusal` of a path that no tool would read. The working `folders`, too.
function claude_ide#tool_facts#Named(arguments) abort
  let l:files = map(copy(a:arguments.files), {_, each -> s:named_file(each.file)})
  call extend(l:files, map(copy(a:arguments.buffers),
        \ {_, each -> s:named(bufexists(each.bufnr) ? claude_ide#editor#Path(each.bufnr) : '', each.bufnr)}))
  return {'files': l:files, 'folders': claude_ide#places#Folders()}
endfunction

" Write a file's buffer as `:write` does.
function claude_ide#tool_facts#Save(arguments) abort
  return has('nvim') ? luaeval("require('claude_ide.file.buffers').save(_A)", a:arguments.file)
        \ : claude_ide#file#buffers#Save(a:arguments.file)
endfunction

" Load a file unseen. Answer { bufnr, is_new }; `is_new`: nothing may have checked it yet.
function claude_ide#tool_facts#Load(arguments) abort
  let l:path = a:arguments.file
  let l:loaded = has('nvim') ? luaeval("require('claude_ide.diagnostics.unopened').load(_A)", l:path)
        \ : claude_ide#diagnostics#unopened#Load(l:path)
  if !has_key(l:loaded, 'bufnr')
    " A path that contains a NUL is a Blob in Neovim, and no text.
    throw 'claude-ide: ' .. (has_key(l:loaded, 'error') ? l:loaded.error : l:path .. ': ' .. l:loaded.obstacle)
  endif
  return {'bufnr': l:loaded.bufnr, 'is_new': l:loaded.is_cold}
endfunction

" The `value` of an expression that the host has chosen, in the window that the user works in; and the `bufnr` of the
" buffer there, or of a `file`.
function claude_ide#tool_facts#Evaluate(arguments) abort
  let l:win = claude_ide#editor#FileWindow()
  let l:bufnr = has_key(a:arguments, 'file')
        \ ? s:open(a:arguments.file, ', so its marks are unknown') : winbufnr(l:win)
  call win_execute(l:win, 'let g:claude_ide_value = ' .. a:arguments.expression)
  return {'bufnr': l:bufnr, 'value': remove(g:, 'claude_ide_value')}
endfunction

" Whether the unnamed register is the clipboard: with this option, and after `"+y`.
function s:is_clipboard(name) abort
  return a:name =~# '^[*+]$' || (a:name ==# '"'
        \ && (&clipboard =~# 'unnamed' || get(getreginfo('"'), 'points_to', '') =~# '^[*+]$'))
endfunction

" The first `lines` of a register and their `total` number. Its text is not read if it `is_clipboard`, unless that is
" allowed, or `is_private`.
function claude_ide#tool_facts#Register(arguments) abort
  let l:name = a:arguments.name
  if s:is_clipboard(l:name)
    if !a:arguments.allows_clipboard
      return {'is_clipboard': v:true}
    endif
  elseif has('nvim') ? luaeval("require('claude_ide.privacy').is_in_register(_A)", l:name)
        \ : claude_ide#privacy#IsInRegister(l:name)
    return {'is_private': v:true}
  endif
  let l:lines = getregtype(l:name) ==# '' ? [] : getreg(l:name, 1, 1)
  return {'total': len(l:lines),
        \ 'lines': map(l:lines[: s:most_lines - 1], {_, line -> claude_ide#places#Cut(line)})}
endfunction

" The lines of the messages. On Neovim 0.11 `:messages` would open a window of noice.nvim, and return nothing.
function claude_ide#tool_facts#Messages(arguments) abort
  let l:shown = has('nvim') && !has('nvim-0.12') ? luaeval("require('claude_ide.tools.noice').text()") : v:null
  return {'lines': split(l:shown is v:null ? execute('messages') : l:shown, "\n")}
endfunction

" Only for this script, in a buffer.
function claude_ide#tool_facts#ShellHere(names) abort
  return {'shell': [&shell] + split(&shellcmdflag), 'folder': getcwd(), 'environment': environ(),
        \ 'names': map(copy(a:names), {_, name -> [expand(name), shellescape(expand(name))]})}
endfunction

" Called by the host: how a command of the user's, such as 'formatprg' and 'makeprg', is run in a buffer: the shell and
" its arguments, the folder and the environment; and what `%` and `#` with their modifiers stand for (`names`), each also
" escaped for the shell (`editor/formatting.py`).
function claude_ide#tool_facts#Shell(bufnr, names) abort
  call claude_ide#editor#Inside(a:bufnr,
        \ 'let g:claude_ide_value = claude_ide#tool_facts#ShellHere(' .. string(a:names) .. ')')
  return extend(remove(g:, 'claude_ide_value'), has('nvim') ? {} : {'folder': getcwd(max([bufwinid(a:bufnr), 0]))})
endfunction
