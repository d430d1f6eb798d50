vim9script
# Completes the arguments of commands (`:help :command-completion-customlist`), by the tables that both
# editors share (`editor/tables.json`): of `:Claude` the most common options of the CLI, and their values.

import autoload './file/path.vim' as file
import autoload './host/python.vim'

const LONGEST_NAME = 200
const MOST_SESSIONS = 50

def Paths(lead: string, kind: string): list<string>
  return getcompletion(lead, kind)->map((_, path) => fnameescape(path))
enddef

# The candidates that begin with what is typed; with a mark before each, if one is given.
export def Beginning(candidates: list<string>, lead: string, mark = ''): list<string>
  return candidates->mapnew((_, candidate) => mark .. candidate)->filter((_, candidate) => stridx(candidate, lead) == 0)
enddef

# The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
def ConfigFolder(): string
  const config = empty($CLAUDE_CONFIG_DIR) ? expand('~/.claude', true) : $CLAUDE_CONFIG_DIR
  return fnamemodify(config, ':p')->substitute('/$', '', '')
enddef

# The ids of the CLI's stored sessions in the working folder, the latest first. Only Python reads the
# sessions (`agents/stream_json/history.py`), but completion must not wait for it.
def SessionIds(): list<string>
  const name = file.Resolved(getcwd())->substitute('[^a-zA-Z0-9]', '-', 'g')
  # The CLI cuts the name of a long path, and adds something of its own to it.
  const folder = len(name) > LONGEST_NAME ? strpart(name, 0, LONGEST_NAME) .. '-*' : name
  return globpath(ConfigFolder() .. '/projects', folder .. '/*.jsonl', true, true)
    ->filter((_, path) => getfsize(path) > 0 && path =~# '/[0-9a-f-]\+\.jsonl$')
    ->sort((one, other) => getftime(other) - getftime(one))
    ->map((_, path) => fnamemodify(path, ':t:r'))
    ->slice(0, MOST_SESSIONS)
enddef

# The names of the sessions in the background; of one with blanks in its name, the id.
def BackgroundNames(): list<string>
  return globpath(ConfigFolder() .. '/jobs', '*/state.json', true, true)->map((_, path) => {
    var name: any = ''
    try
      name = get(json_decode(readfile(path)->join("\n")), 'name', '')
    catch
      # It may be half written.
    endtry
    return type(name) == v:t_string && name =~# '^[^ \t|]\+$' ? name : fnamemodify(path, ':h:t')
  })
enddef

def Tables(): dict<any>
  return python.Json('editor/tables.json').completion
enddef

# The values of an option: these themselves, or what they are.
def Values(values: any, lead: string): list<string>
  if type(values) == v:t_list
    return values
  elseif values ==# 'sessions'
    return SessionIds()
  elseif values ==# 'background'
    return BackgroundNames()
  endif
  return values ==# 'text' ? [] : Paths(lead, values)
enddef

# Complete an option of the CLI, or the value of the option before the cursor.
export def OfCli(lead: string, line: string, pos: number): list<string>
  const option = strpart(line, 0, pos)->split('\s\+', true)->get(-2, '')
  const options: dict<any> = Tables().options
  const values = get(options, option, [])
  const is_text = type(values) == v:t_string && values ==# 'text'
  const found = Values(values, lead)
  return Beginning(empty(found) && !is_text ? keys(options)->sort() : found, lead)
enddef

# Complete the name of a worktree of the working folder's project.
export def OfWorktrees(lead: string, line: string, pos: number): list<string>
  final listed = systemlist('git worktree list --porcelain')
  const paths = v:shell_error == 0 ? listed->filter((_, each) => each =~# '^worktree ') : []
  return Beginning(paths[1 :]->mapnew((_, each) => fnamemodify(each, ':t')), lead)
enddef

# Complete the word that a command takes, and the path after it.
export def OfWords(lead: string, line: string, pos: number): list<string>
  const before = strpart(line, 0, pos)->split('\s\+', true)->get(-2, '')
  const known = Tables()
  return has_key(known.after, before) ? Paths(lead, known.after[before])
    : get(known.words, matchstr(before, 'Claude\a\+'), [])->Beginning(lead)
enddef

# Complete the path of `:ClaudeAdd`, but no later argument.
export def OfAdd(lead: string, line: string, pos: number): list<string>
  if strpart(line, 0, pos - len(lead)) !~# '\<Claude\a\+!\=\s*$'
    return []
  endif
  const typed = substitute(lead, '\\\(.\)', '\1', 'g')
  return getcompletion(substitute(typed, '[[*?$]', '?', 'g'), 'file')
    ->Beginning(typed)->mapnew((_, path) => fnameescape(path))
enddef

defcompile
