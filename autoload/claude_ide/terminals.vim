" The CLIs that have been started in terminals, in both editors: their names, which one commands mean, to which tab
" page each belongs, and which clients run in them.
"
" A terminal is a dict: its `number`; its `name`, the user's or a number; its `place` (`side` and `size`); its `bufnr`,
" 0 if it is in a `pane` of the user's tmux, which the host shows and hides (`hooks/panes.py`): {id, pid}, otherwise
" empty; the `launch` under which it reports what it does (empty if it does not); its `home` (`s:tab`); the `folder` in
" which it was started; its `worktree`: that folder, or the root of the worktree in which its session works; the session
" in the background to which it is `attached`, or nothing; and whether it `is_found`: an earlier editor has left it, and
" the user was not there yet.

let s:terminals = [] " the last used one first
let s:last_number = 0
let s:last_tab = 0
let s:lineages = {} " by the process id of a connected client: those of itself and its ancestors

" A number that a tab page keeps, unlike the one that the editor gives it.
function s:tab(number) abort
  if gettabvar(a:number, 'claude_ide_tab', 0) == 0
    let s:last_tab += 1
    call settabvar(a:number, 'claude_ide_tab', s:last_tab)
  endif
  return gettabvar(a:number, 'claude_ide_tab')
endfunction

function s:here() abort
  return s:tab(tabpagenr())
endfunction

" The number that the editor gives to the tab page with a number from `s:tab`; 0 if it is closed.
function s:tab_number(tab) abort
  return index(map(range(1, tabpagenr('$')), {_, each -> gettabvar(each, 'claude_ide_tab', 0)}), a:tab) + 1
endfunction

" The root of the innermost repository of the working folder, or else this.
function claude_ide#terminals#Worktree() abort
  let l:above = escape(getcwd(), ' ,;*\') .. ';'
  let l:found = filter([finddir('.git', l:above), findfile('.git', l:above)], {_, path -> path !=# ''})
  call map(l:found, {_, path -> substitute(fnamemodify(path, ':p'), '/\?\.git/\?$', '', '')})
  " A linked worktree, which has a file, is often inside the main one.
  return get(sort(l:found, {one, other -> len(other) - len(one)}), 0, getcwd())
endfunction

function s:is_alive(terminal) abort
  if !empty(a:terminal.pane)
    return has('nvim') ? luaeval('vim.uv.kill(_A, 0) == 0', a:terminal.pane.pid)
          \ : claude_ide#system#program#IsAlive(a:terminal.pane.pid)
  endif
  return bufexists(a:terminal.bufnr) && (has('nvim') || term_getstatus(a:terminal.bufnr) =~# 'running')
endfunction

function s:report() abort
  call claude_ide#status#Report('terminals', map(copy(s:terminals), {_, each -> each.name}))
endfunction

" Forget a terminal whose CLI has ended.
function claude_ide#terminals#Remove(number) abort
  let l:removed = filter(copy(s:terminals), {_, each -> each.number == a:number})
  call filter(s:terminals, {_, each -> each.number != a:number})
  call s:report()
  if !empty(l:removed) && l:removed[0].launch !=# ''
    call claude_ide#editor#Emit('terminal_ended', {'launch': l:removed[0].launch})
  endif
endfunction

" All that run, the last used one first.
function claude_ide#terminals#All() abort
  for l:terminal in copy(s:terminals)
    if !s:is_alive(l:terminal)
      call claude_ide#terminals#Remove(l:terminal.number)
    endif
  endfor
  return copy(s:terminals)
endfunction

" The first one for which a test holds; empty if it holds for none.
function s:find(Test) abort
  return get(filter(claude_ide#terminals#All(), {_, each -> a:Test(each)}), 0, {})
endfunction

" The terminal of a buffer; empty if it is none of ours, or its CLI has ended. Those that are in no buffer have 0.
function claude_ide#terminals#Of(bufnr) abort
  return s:find({each -> a:bufnr > 0 && each.bufnr == a:bufnr})
endfunction

" The terminal with a name; empty if there is none.
function claude_ide#terminals#Named(name) abort
  return s:find({each -> each.name ==# a:name})
endfunction

function s:new_name() abort
  let l:number = 1
  while !empty(claude_ide#terminals#Named(string(l:number)))
    let l:number += 1
  endwhile
  return string(l:number)
endfunction

" Whether every tab page has CLIs of its own.
function claude_ide#terminals#IsPerTab() abort
  return claude_ide#editor#Option('terminal', 'per') is# 'tab'
endfunction

" Whether commands can mean a terminal here.
function s:is_meant(terminal) abort
  if claude_ide#terminals#IsPerTab()
    return a:terminal.home == s:here()
  endif
  return claude_ide#editor#Option('terminal', 'per') isnot# 'worktree'
        \ || a:terminal.worktree ==# claude_ide#terminals#Worktree()
endfunction

" The one that commands mean: the one that the user is in, or the last used one; with the option `terminal.per`
" the last used one of this tab page, or of this worktree. Empty if there is none.
function claude_ide#terminals#Current() abort
  let l:entered = claude_ide#terminals#Of(bufnr('%'))
  return empty(l:entered) ? s:find(function('s:is_meant')) : l:entered
endfunction

" Describe a terminal in `b:claude_ide`; `state` is "idle", "working" or "wants you".
function s:describe(terminal, state) abort
  call setbufvar(a:terminal.bufnr, 'claude_ide',
        \ {'name': a:terminal.name, 'folder': a:terminal.folder, 'state': a:state})
endfunction

" Add a terminal: its `bufnr` or `pane`, its `place` and `launch`, and perhaps other fields. Without a name it gets a
" number. That of a buffer is described there: the autocommands of its filetype may read it.
function claude_ide#terminals#Add(given) abort
  let s:last_number += 1
  let l:terminal = extend({'bufnr': 0, 'pane': {}, 'is_found': v:false, 'attached': '', 'name': ''}, a:given)
  let l:terminal.name = l:terminal.name ==# '' ? s:new_name() : l:terminal.name
  let l:place = {'home': s:here(), 'folder': getcwd(), 'worktree': claude_ide#terminals#Worktree()}
  call extend(l:terminal, {'number': s:last_number})->extend(l:place)
  call insert(s:terminals, l:terminal)
  call s:report()
  if l:terminal.bufnr > 0
    let l:shown = get(l:terminal, 'shows', '')
    call setbufvar(l:terminal.bufnr, 'claude_ide_launch', l:shown !=# '' ? l:shown : l:terminal.launch)
    call s:describe(l:terminal, 'idle')
    call claude_ide#quitting#Watch()
    call claude_ide#terminals#Mark()
  endif
  return l:terminal
endfunction

" Called by the host: what the CLI in a terminal does.
function claude_ide#terminals#SetState(launch, state) abort
  let l:terminal = s:find({each -> each.launch ==# a:launch})
  if get(l:terminal, 'bufnr') > 0
    call s:describe(l:terminal, a:state)
    call claude_ide#editor#DrawStatusLines()
  endif
endfunction

" Called by the host: the session of a terminal works in another worktree.
function claude_ide#terminals#WorkIn(name, worktree) abort
  let l:terminal = claude_ide#terminals#Named(a:name)
  if !empty(l:terminal)
    let l:terminal.worktree = a:worktree
  endif
endfunction

" Note that the user uses a terminal in this tab page. It belongs here from now on, unless every tab page has its own.
function claude_ide#terminals#Use(number) abort
  let l:used = filter(copy(s:terminals), {_, each -> each.number == a:number})
  let s:terminals = l:used + filter(s:terminals, {_, each -> each.number != a:number})
  if !empty(l:used) && !(claude_ide#terminals#IsPerTab() && s:tab_number(l:used[0].home) > 0)
    let l:used[0].home = s:here()
  endif
endfunction

" The user is about to go to a terminal in a pane.
function claude_ide#terminals#Visit(number) abort
  call claude_ide#terminals#Use(a:number)
  let s:terminals[0].is_found = v:false
endfunction

" The clients. `pid` is the process id of one, 0 if it is unknown.

function s:buffers() abort
  return has('nvim') ? filter(nvim_list_bufs(), {_, each -> getbufvar(each, '&buftype') ==# 'terminal'}) : term_list()
endfunction

" The process in a buffer; 0 if it has ended.
function s:process_in(bufnr) abort
  if has('nvim')
    return getbufvar(a:bufnr, 'terminal_job_pid', 0)
  endif
  let l:job = term_getjob(a:bufnr)
  return job_status(l:job) ==# 'run' ? job_info(l:job).process : 0
endfunction

" The process of a terminal, or of the shell in its pane.
function s:process(terminal) abort
  return empty(a:terminal.pane) ? s:process_in(a:terminal.bufnr) : a:terminal.pane.pid
endfunction

function s:clients_in(process) abort
  return map(filter(copy(s:lineages), {_, lineage -> index(lineage, a:process) >= 0}), {pid, _ -> str2nr(pid)})
        \ ->values()
endfunction

" The terminal in which a client runs: only its `bufnr` if the user has opened it; empty if none is found.
function claude_ide#terminals#OfClient(pid) abort
  let l:lineage = get(s:lineages, a:pid, [])
  let l:own = empty(l:lineage) ? {} : s:find({each -> index(l:lineage, s:process(each)) >= 0})
  let l:others = empty(l:lineage) || !empty(l:own) ? []
        \ : filter(s:buffers(), {_, bufnr -> index(l:lineage, s:process_in(bufnr)) >= 0})
  return empty(l:others) ? l:own : {'bufnr': l:others[0], 'pane': {}}
endfunction

" Called by the host: the terminals that run, the last used one first (`Terminal` of the port).
function claude_ide#terminals#Running() abort
  let l:current = get(claude_ide#terminals#Current(), 'number')
  return map(claude_ide#terminals#All(), {_, each -> {
        \ 'launch': each.launch,
        \ 'name': each.name,
        \ 'is_current': each.number == l:current ? v:true : v:false,
        \ 'folder': each.worktree,
        \ 'pids': s:clients_in(s:process(each)),
        \ 'pane': get(each.pane, 'id', ''),
        \ 'pid': s:process(each),
        \ 'attached': each.attached,
        \ }})
endfunction

" The number of the tab page to which a client belongs, 0 if it is unknown, and the launch of its terminal, if that is
" ours. A terminal that the user has opened belongs where it is shown.
function claude_ide#terminals#Home(pid) abort
  let l:terminal = claude_ide#terminals#OfClient(a:pid)
  if has_key(l:terminal, 'home')
    return [s:tab_number(l:terminal.home), l:terminal.launch]
  endif
  let l:tabs = map(win_findbuf(get(l:terminal, 'bufnr')), {_, win -> win_id2tabwin(win)[0]})
  return [index(l:tabs, tabpagenr()) >= 0 ? tabpagenr() : get(l:tabs, 0, 0), '']
endfunction

" Called by the host: the process ids of the clients that belong to this tab page, which are those in the terminal that
" commands mean, if it belongs here.
function claude_ide#terminals#Here() abort
  let l:current = claude_ide#terminals#Current()
  let l:is_here = !empty(l:current) && l:current.home == s:here()
  let l:meant = l:is_here ? s:clients_in(s:process(l:current)) : []
  return !empty(l:meant) ? l:meant
        \ : filter(map(keys(s:lineages), {_, pid -> str2nr(pid)}),
        \   {_, pid -> claude_ide#terminals#Home(pid)[0] == tabpagenr()})
endfunction

" Mark the buffers in which a client runs. Proposals do not wait while the user is in one of them (`timing/moment`).
function claude_ide#terminals#Mark() abort
  for l:bufnr in s:buffers()
    let l:is_claudes = !empty(claude_ide#terminals#Of(l:bufnr)) || !empty(s:clients_in(s:process_in(l:bufnr)))
    call setbufvar(l:bufnr, 'claude_ide_terminal', l:is_claudes ? v:true : v:false)
  endfor
endfunction

" Called by the host with the connected clients: of each its process id, and those of its ancestors.
function claude_ide#terminals#Connected(connected) abort
  let s:lineages = {}
  for l:lineage in a:connected
    let s:lineages[l:lineage[0]] = l:lineage
  endfor
  call claude_ide#terminals#Mark()
endfunction
