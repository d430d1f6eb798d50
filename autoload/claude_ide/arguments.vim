" Completes the arguments of commands (`:help :command-completion-customlist`) in both editors, without the host:
" of `:Claude` the most common options of the CLI, and their values.

let s:host = expand('<sfile>:p:h:h:h') .. '/python/claude_ide/'
let s:longest_name = 200
let s:most_sessions = 50
let s:recipients = []

" Decode a file of the host.
function claude_ide#arguments#Json(file) abort
  return json_decode(join(readfile(s:host .. a:file), "\n"))
endfunction

function s:tables() abort
  return claude_ide#arguments#Json('editor/tables.json').completion
endfunction

" The candidates that begin with what is typed; with a mark before each, if one is given.
function claude_ide#arguments#Beginning(candidates, lead, mark = '') abort
  return filter(map(copy(a:candidates), {_, each -> a:mark .. each}), {_, each -> stridx(each, a:lead) == 0})
endfunction

function s:unescaped(typed) abort
  return substitute(a:typed, '\\\(.\)', '\1', 'g')
endfunction

" Paths that begin with what is typed, which may have backslashes.
function s:found(typed, kind) abort
  return claude_ide#arguments#Beginning(getcompletion(substitute(a:typed, '[[*?$]', '?', 'g'), a:kind), a:typed)
endfunction

function s:paths(lead, kind) abort
  return map(s:found(s:unescaped(a:lead), a:kind), {_, path -> fnameescape(path)})
endfunction

" The names of others that begin with what is typed, without the words of it before `lead`: no `|` and no line feed in
" them begins a command.
function s:rests(names, typed, lead) abort
  let l:before = len(s:unescaped(strpart(a:typed, 0, len(a:typed) - len(a:lead))))
  let l:found = filter(claude_ide#arguments#Beginning(a:names, s:unescaped(a:typed)), {_, each -> each !~# '[[:cntrl:]]'})
  return map(l:found, {_, each -> escape(strpart(each, l:before), '\|')})
endfunction

" Those that begin with what is typed, once and as one argument each.
function claude_ide#arguments#Names(names, lead) abort
  let l:found = s:rests(a:names, a:lead, a:lead)
  return map(filter(copy(l:found), {index, each -> index(l:found, each) == index}), {_, each -> escape(each, ' ')})
endfunction

" The paths of files for a command that expands nothing in them.
function claude_ide#arguments#Files(lead) abort
  return claude_ide#arguments#Names(s:found(s:unescaped(a:lead), 'file'), a:lead)
endfunction

" The folder in which the CLI keeps the user's settings and sessions (`base/paths.py`).
function s:config_folder() abort
  let l:given = empty($CLAUDE_CONFIG_DIR) ? expand('~/.claude', 1) : $CLAUDE_CONFIG_DIR
  return substitute(fnamemodify(l:given, ':p'), '/$', '', '')
endfunction

" The ids of the CLI's stored sessions in the working folder, the latest first. Only Python reads the sessions
" (`agents/stream_json/stored.py`), but completion must not wait for it.
function claude_ide#arguments#SessionIds() abort
  let l:name = substitute(resolve(getcwd()), '[^a-zA-Z0-9]', '-', 'g')
  " The CLI cuts the name of a long path, and adds something of its own to it.
  let l:folder = len(l:name) > s:longest_name ? strpart(l:name, 0, s:longest_name) .. '-*' : l:name
  let l:found = globpath(s:config_folder() .. '/projects', l:folder .. '/*.jsonl', 1, 1)
  call filter(l:found, {_, path -> getfsize(path) > 0 && path =~# '/[0-9a-f-]\+\.jsonl$'})
  call sort(l:found, {one, other -> getftime(other) - getftime(one)})
  return map(l:found[: s:most_sessions - 1], {_, path -> fnamemodify(path, ':t:r')})
endfunction

" The name of a session in the background; of one with blanks in its name, the id.
function s:background_name(path) abort
  let l:name = ''
  try
    let l:name = get(json_decode(join(readfile(a:path), "\n")), 'name', '')
  catch
    " It may be half written.
  endtry
  return type(l:name) == v:t_string && l:name =~# '^[^ \t|]\+$' ? l:name : fnamemodify(a:path, ':h:t')
endfunction

function s:background_names() abort
  let l:found = globpath(s:config_folder() .. '/jobs', '*/state.json', 1, 1)
  return map(l:found, {_, path -> s:background_name(path)})
endfunction

" The values of an option: these themselves, or what they are.
function s:values(values, lead) abort
  if type(a:values) == v:t_list
    return a:values
  elseif a:values ==# 'sessions'
    return claude_ide#arguments#SessionIds()
  elseif a:values ==# 'background'
    return s:background_names()
  endif
  return a:values ==# 'text' ? [] : s:paths(a:lead, a:values)
endfunction

function s:word_before(line, pos) abort
  return get(split(strpart(a:line, 0, a:pos), '\s\+', 1), -2, '')
endfunction

" Complete an option of the CLI, or the value of the option before the cursor.
function claude_ide#arguments#OfCli(lead, line, pos) abort
  let l:options = s:tables().options
  let l:values = get(l:options, s:word_before(a:line, a:pos), [])
  let l:found = s:values(l:values, a:lead)
  let l:is_text = type(l:values) == v:t_string && l:values ==# 'text'
  return claude_ide#arguments#Beginning(empty(l:found) && !l:is_text ? sort(keys(l:options)) : l:found, a:lead)
endfunction

" The path in the first line of one of git's own files; reading a pipe would wait.
function s:named_in(file) abort
  return getftype(a:file) ==# 'file' ? substitute(get(readfile(a:file, '', 1), 0, ''), '^gitdir: ', '', '') : ''
endfunction

" Complete the name of a worktree of the working folder's project. Git would read a configuration that blocks it.
function claude_ide#arguments#OfWorktrees(lead, line, pos) abort
  let l:git = claude_ide#terminals#Worktree() .. '/.git'
  let l:own = s:named_in(l:git)
  let l:data = l:own ==# '' ? l:git .. '/worktrees' : fnamemodify(l:own, ':h')
  let l:linked = map(globpath(escape(l:data, ',*?[{`$\'), '*/gitdir', 1, 1), {_, file -> s:named_in(file)})
  call filter(l:linked, {_, each -> getftype(each) ==# 'file'})
  return claude_ide#arguments#Names(map(l:linked, {_, each -> fnamemodify(each, ':h:t')}), a:lead)
endfunction

" Complete the word that a command takes, and the path after it.
function claude_ide#arguments#OfWords(lead, line, pos) abort
  let [l:before, l:known] = [s:word_before(a:line, a:pos), s:tables()]
  return has_key(l:known.after, l:before) ? s:paths(a:lead, l:known.after[l:before])
        \ : claude_ide#arguments#Beginning(get(l:known.words, matchstr(l:before, 'Claude\a\+'), []), a:lead)
endfunction

" Complete the path of `:ClaudeAdd`, but no later argument.
function claude_ide#arguments#OfAdd(lead, line, pos) abort
  return strpart(a:line, 0, a:pos - len(a:lead)) !~# '\<Claude\a\+!\=\s*$' ? [] : s:paths(a:lead, 'file')
endfunction

" The entries of an option that is a dictionary, with the names that the host takes (`config.py`); empty if it is none.
function s:option(name) abort
  let l:Value = claude_ide#editor#Option(a:name)
  return type(l:Value) == v:t_dict ? filter(copy(l:Value), {name, _ -> name =~# '^[A-Za-z0-9_-]\+$'}) : {}
endfunction

function s:has_cmd(entry) abort
  let l:Cmd = type(a:entry) == v:t_dict ? get(a:entry, 'cmd', '') : ''
  return index([v:t_string, v:t_list], type(l:Cmd)) >= 0 && !empty(l:Cmd)
endfunction

" Only a false one is not: a table of Lua without fields is an empty list here.
function s:is_offered(entry) abort
  return !empty(a:entry) || index([v:t_dict, v:t_list], type(a:entry)) >= 0
endfunction

" The ids of the agents that are built in, and of the user's (`agents/acp/launch.py`); Claude is the first.
function claude_ide#arguments#Agents() abort
  let l:known = claude_ide#arguments#Json('agents/acp/known.json').agents
  let l:own = s:option('agents')
  let l:added = filter(copy(l:own), {id, entry -> has_key(l:known, id) || s:has_cmd(entry)})
  let l:offered = filter(extend(l:known, l:added), {id, entry -> id !=# 'claude' && s:is_offered(entry)})
  return (s:is_offered(get(l:own, 'claude', {})) ? ['claude'] : []) + sort(keys(l:offered))
endfunction

" Complete `@` and an agent as the first word of `:ClaudeAsk`, `:ClaudeEdit` or `:ClaudeCommit`.
function claude_ide#arguments#OfAgents(lead, line, pos) abort
  return strpart(a:line, 0, a:pos) !~# 'Claude\(Ask\|Edit\|Commit\)\s\+@\?[A-Za-z0-9_-]*$' ? []
        \ : claude_ide#arguments#Beginning(claude_ide#arguments#Agents(), a:lead, '@')
endfunction

" The texts of prompts by their names: of those in `tables.json`, and of the option `prompts`.
function claude_ide#arguments#Prompts() abort
  return filter(extend(s:tables().prompts, s:option('prompts')), {_, text -> type(text) == v:t_string})
endfunction

" The names of all placeholders, with those of the option `contexts`.
function claude_ide#arguments#Placeholders() abort
  let l:functions = filter(s:option('contexts'), {name, each -> type(each) == v:t_func && name =~# '^\h\w*$'})
  return uniq(sort(s:tables().placeholders + keys(l:functions)))
endfunction

" Complete `/name` or `@agent` as the first word of a command that knows them, and placeholders, in braces, in any.
function claude_ide#arguments#OfPrompts(lead, line, pos) abort
  if a:lead[0] ==# '@'
    return claude_ide#arguments#OfAgents(a:lead, a:line, a:pos)
  elseif strpart(a:line, 0, a:pos) =~# 'Claude\(Ask\|Prompt\)\s\+/\S*$'
    return claude_ide#arguments#Beginning(sort(keys(claude_ide#arguments#Prompts())), a:lead, '/')
  endif
  let l:parts = matchlist(a:lead, '^\(.*\){\(\w*\)$')
  " Two braces are one, as text.
  let l:names = empty(l:parts) || len(matchstr(l:parts[1], '{*$')) % 2 == 1 ? []
        \ : claude_ide#arguments#Beginning(claude_ide#arguments#Placeholders(), l:parts[2])
  " Only Neovim has tree-sitter.
  call filter(l:names, {_, name -> has('nvim') || index(['function', 'class'], name) < 0})
  return map(l:names, {_, name -> l:parts[1] .. '{' .. name .. '}'})
endfunction

" Know to whom a review can be sent.
function claude_ide#arguments#KnowRecipients(names) abort
  let s:recipients = a:names
endfunction

" Complete `:ClaudeReview`. Names of recipients may have several words, of which the line has some before the last.
function claude_ide#arguments#OfReview(lead, line, pos) abort
  let l:typed = matchstr(strpart(a:line, 0, a:pos), 'Claude\a\+!\?\s\+\zs.*$')
  if l:typed =~# '^send\s'
    return s:rests(s:recipients, matchstr(l:typed, '^send\s\+\zs.*$'), a:lead)
  elseif l:typed =~# '^\(clear\|undo\|yank\)\s\|^base\s\+\S*$'
    return []
  endif
  let l:words = l:typed =~# '\s' ? [] : s:tables().review
  return claude_ide#arguments#Beginning(l:words, a:lead) + s:paths(a:lead, 'file')
endfunction

" The index of the quote that closes the one at `index`, or -1. Apostrophes do not count as quotes.
function s:closing_quote(args, index) abort
  let l:quote = strpart(a:args, a:index, 1)
  let l:is_after_word = a:index > 0 && strpart(a:args, a:index - 1, 1) !~# '[[:space:]=]'
  return l:quote !~# '["'']' || l:is_after_word ? -1
        \ : match(a:args, l:quote . '\%($\|[[:space:]|]\)\@=', a:index + 1)
endfunction

" The index of the first `|` in arguments that is neither quoted nor after a backslash, or -1.
function claude_ide#arguments#Bar(args) abort
  let l:index = 0
  while l:index < len(a:args)
    let l:letter = strpart(a:args, l:index, 1)
    if l:letter ==# '|'
      return l:index
    endif
    let l:index = l:letter ==# '\' ? l:index + 2 : max([s:closing_quote(a:args, l:index), l:index]) + 1
  endwhile
  return -1
endfunction

" Complete the name of a CLI, which may contain blanks; `lead` is its last word.
function claude_ide#arguments#OfClis(lead, line, pos) abort
  let l:typed = matchlist(strpart(a:line, 0, a:pos), 'Cl\a*\s\+\(.*\)$')
  let l:begun = empty(l:typed) ? a:lead : l:typed[1]
  let l:names = claude_ide#status#InBackground() + map(claude_ide#terminals#All(), {_, each -> each.name})
  return s:rests(sort(l:names), l:begun, a:lead)
endfunction
