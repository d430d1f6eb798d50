" What the placeholders of a text mean where the user is, in one instant, in both editors. The host says it in words,
" and judges what may leave the editor (`editor/contexts.py`).
"
" Where the user is: `win`, `bufnr`, `cursor` (line, byte column from 1), and the `selection`, empty without one: its
" `first` and `last` line, its `lines`, its `kind` ("lines", "part", "block"), and the `paths` that the lines of a list
" are about.

let s:most_printed = 100 " lines of a terminal
let s:kinds = {'v': 'v', 'V': 'V', "\<C-v>": "\<C-v>", 's': 'v', 'S': 'V', "\<C-s>": "\<C-v>"}
let s:names = {'v': 'part', 'V': 'lines', "\<C-v>": 'block'}
let s:of_operator = {'char': 'v', 'line': 'V', 'block': "\<C-v>"}
let s:shared = ['quickfix', 'loclist', 'buffers', 'visible', 'marks'] " placeholders that `places.vim` finds

function s:lines(bufnr, first, last) abort
  return {'first': a:first, 'last': a:last, 'lines': getbufline(a:bufnr, a:first, a:last), 'kind': 'lines',
        \ 'paths': claude_ide#places#About(a:bufnr, a:first, a:last)}
endfunction

" `to_eol`: whether a block extends to the ends of its lines.
function s:area(kind, from, to, to_eol) abort
  if a:kind ==# 'V'
    return s:lines(bufnr('%'), min([a:from[1], a:to[1]]), max([a:from[1], a:to[1]]))
  endif
  let l:found = claude_ide#visual#Area(a:kind, a:from, a:to, a:to_eol)
  let l:ends_before = l:found.last.col == 0 && l:found.last.row > l:found.first.row
  let l:text = claude_ide#visual#Lines(l:found)
  let l:lines = len(l:text) > 1 && l:text[-1] ==# '' ? l:text[: -2] : l:text
  return extend(s:lines(bufnr('%'), l:found.first.row + 1, l:found.last.row + (l:ends_before ? 0 : 1)),
        \ {'lines': l:lines, 'kind': s:names[a:kind]})
endfunction

" What is selected in Visual mode, of a kind.
function s:selected(kind) abort
  return s:area(a:kind, getpos('v'), getpos('.'), getcurpos()[4] == v:maxcol)
endfunction

" Whether a range is that of `:'<,'>` after the Visual mode that has just ended, in which less than whole lines were
" selected: the cursor is still at an end, or in the upper left corner of a block.
function s:is_of_selection(lines) abort
  let l:ends = [getpos("'<"), getpos("'>")]
  if index(['v', "\<C-v>"], visualmode()) < 0 || a:lines != [l:ends[0][1], l:ends[1][1]]
    return v:false
  elseif visualmode() ==# "\<C-v>"
    let l:left = min([virtcol("'<", 1)[0], virtcol("'>", 1)[0]])
    let l:here = virtcol('.', 1)
    return line('.') == a:lines[0] && l:here[0] <= l:left && l:left <= l:here[1]
  endif
  return !empty(filter(l:ends, {_, pos -> line('.') == pos[1] && (col('.') == pos[2] || pos[2] == v:maxcol)}))
endfunction

" What was selected in it. Only `gv` knows whether a block extended to the ends of its lines.
function s:selected_before() abort
  let l:view = winsaveview()
  noautocmd normal! gv
  let l:found = s:selected(visualmode())
  execute "noautocmd normal! \<Esc>"
  call winrestview(l:view)
  return l:found
endfunction

" Where the user is, and what is selected there: in Visual mode that, otherwise the range.
function claude_ide#contexts#Here(range = []) abort
  let l:kind = get(s:kinds, mode(), '')
  if l:kind !=# ''
    let l:selection = s:selected(l:kind)
  elseif empty(a:range)
    let l:selection = {}
  else
    let l:selection = s:is_of_selection(a:range) ? s:selected_before() : s:lines(bufnr('%'), a:range[0], a:range[1])
  endif
  return {'win': win_getid(), 'bufnr': bufnr('%'), 'cursor': [line('.'), col('.')], 'selection': l:selection}
endfunction

" The same for what an operator covers; its kind is that which 'operatorfunc' gets.
function claude_ide#contexts#Covered(kind, to_eol) abort
  return extend(claude_ide#contexts#Here(),
        \ {'selection': s:area(s:of_operator[a:kind], getpos("'["), getpos("']"), a:to_eol)})
endfunction

function s:terminal() abort
  let l:ordinary = filter(term_list(),
        \ {_, bufnr -> buflisted(bufnr) && !getbufvar(bufnr, 'claude_ide_terminal', v:false)})
  if empty(l:ordinary)
    return {}
  endif
  let l:bufnr = claude_ide#window#recent#Sort(l:ordinary)[0]
  let l:lines = getbufline(l:bufnr, 1, '$')
  if term_getstatus(l:bufnr) =~# 'running' && term_getstatus(l:bufnr) !~# 'normal'
    " Vim puts what is on the screen into the buffer a moment later.
    let l:scrolled = term_getscrolled(l:bufnr)
    let l:lines = l:scrolled > 0 ? l:lines[: l:scrolled - 1] : []
    call extend(l:lines, map(range(1, term_getsize(l:bufnr)[0]), {_, row -> term_getline(l:bufnr, row)}))
  endif
  while !empty(l:lines) && l:lines[-1] ==# ''
    call remove(l:lines, -1)
  endwhile
  let l:job = term_getjob(l:bufnr)
  let l:folder = resolve('/proc/' .. (type(l:job) == v:t_job ? job_info(l:job).process : 0) .. '/cwd')
  return {'terminal': {'name': bufname(l:bufnr), 'lines': l:lines[max([0, len(l:lines) - s:most_printed]) :],
        \ 'folder': stridx(l:folder, '/proc/') == 0 ? '' : l:folder}}
endfunction

" What a placeholder means, as fields of the facts; nothing for those that need nothing but what is always there.
function s:found(name, here) abort
  if index(s:shared, a:name) >= 0
    return {a:name : call('claude_ide#places#' .. a:name, [a:here.bufnr])}
  elseif a:name ==# 'line'
    return {'current': s:lines(a:here.bufnr, a:here.cursor[0], a:here.cursor[0])}
  elseif a:name ==# 'terminal' && !has('nvim')
    return s:terminal()
  elseif index(['function', 'class', 'terminal'], a:name) < 0
    return {}
  elseif !has('nvim')
    throw 'claude-ide: only Neovim has tree-sitter'
  endif
  let l:known = luaeval("require('claude_ide.contexts').find(_A[1], _A[2])", [a:name, a:here])
  if a:name ==# 'terminal' || l:known is v:null
    return l:known is v:null ? {} : {'terminal': l:known}
  endif
  let l:field = a:name ==# 'class' ? 'enclosing_class' : a:name
  return {l:field : s:lines(a:here.bufnr, l:known[0], l:known[1])}
endfunction

" The user's functions, by their names.
function s:own() abort
  let l:given = claude_ide#editor#Option('contexts')
  return type(l:given) == v:t_dict ? filter(copy(l:given), {_, Context -> type(Context) == v:t_func}) : {}
endfunction

function s:call(Context, here) abort
  let l:place = {'bufnr': a:here.bufnr, 'win': a:here.win, 'line': a:here.cursor[0], 'column': a:here.cursor[1]}
  if !empty(a:here.selection) || !has('nvim')
    call extend(l:place, {'first': get(a:here.selection, 'first'), 'last': get(a:here.selection, 'last')})
  endif
  let l:Said = call(a:Context, [l:place])
  if l:Said is v:null || l:Said is v:false || (type(l:Said) == v:t_string && l:Said !~# '\S')
    throw 'claude-ide: it has nothing to say here'
  elseif type(l:Said) != v:t_string
    throw 'claude-ide: its function returned no text'
  endif
  return l:Said
endfunction

function s:gather(here, facts, text) abort
  let l:own = s:own()
  let l:names = filter(claude_ide#arguments#Placeholders(), {_, name -> stridx(a:text, '{' .. name .. '}') >= 0})
  " The user's functions may go elsewhere, so they come last.
  for l:name in filter(copy(l:names), {_, name -> !has_key(l:own, name)}) + filter(l:names, {_, name -> has_key(l:own, name)})
    try
      if has_key(l:own, l:name)
        let a:facts.own[l:name] = s:call(l:own[l:name], a:here)
      else
        call extend(a:facts, s:found(l:name, a:here))
      endif
    catch
      let a:facts.problems[l:name] = claude_ide#editor#Reason(v:exception)
    endtry
  endfor
endfunction

" What the placeholders of a text mean (`Facts` of the port).
function claude_ide#contexts#Facts(here, text) abort
  let l:at = get(getbufline(a:here.bufnr, a:here.cursor[0]), 0, '')
  let l:name = fnamemodify(bufname(a:here.bufnr), ':.')
  let l:facts = {
        \ 'folder': getcwd(),
        \ 'path': claude_ide#editor#Path(a:here.bufnr),
        \ 'name': l:name ==# '' ? '[No Name]' : l:name,
        \ 'line': a:here.cursor[0],
        \ 'column': strchars(strpart(l:at, 0, a:here.cursor[1] - 1)) + 1,
        \ 'own': {},
        \ 'problems': {},
        \ }
  if !empty(a:here.selection)
    let l:facts.selection = a:here.selection
  endif
  if winbufnr(a:here.win) == a:here.bufnr
    let s:asked = [a:here, l:facts, a:text]
    call win_execute(a:here.win, 'call call("s:gather", s:asked)')
  else
    call s:gather(a:here, l:facts, a:text)
  endif
  return l:facts
endfunction
