vim9script
# Completes the arguments of commands (`:help :command-completion-customlist`): of `:Claude` the most
# common options of the CLI, and their values.

import autoload './file/path.vim' as file

const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'dontAsk', 'manual', 'plan']
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
# Names that stand for the latest model of their kind.
const MODELS = ['fable', 'haiku', 'opus', 'sonnet']
const FREE_TEXT = ['--append-system-prompt', '--name']
const OPTIONS = ['--add-dir', '--append-system-prompt', '--continue', '--dangerously-skip-permissions', '--effort',
  '--mcp-config', '--model', '--name', '--permission-mode', '--resume', '--settings', '--verbose', '--worktree', 'attach']
const LONGEST_NAME = 200
const MOST_SESSIONS = 50

def Paths(lead: string, kind: string): list<string>
  return getcompletion(lead, kind)->map((_, path) => fnameescape(path))
enddef

def Beginning(candidates: list<string>, lead: string): list<string>
  return candidates->copy()->filter((_, candidate) => stridx(candidate, lead) == 0)
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

# The values of an option.
def Values(option: string, lead: string): list<string>
  if option ==# '--add-dir'
    return Paths(lead, 'dir')
  elseif option ==# '--mcp-config' || option ==# '--settings'
    return Paths(lead, 'file')
  elseif option ==# '--resume'
    return SessionIds()
  elseif option ==# 'attach'
    return BackgroundNames()
  endif
  return get({'--effort': EFFORTS, '--model': MODELS, '--permission-mode': MODES}, option, [])
enddef

# Complete an option of the CLI, or the value of the option before the cursor.
export def OfCli(lead: string, line: string, pos: number): list<string>
  const option = strpart(line, 0, pos)->split('\s\+', true)->get(-2, '')
  const values = Values(option, lead)
  return Beginning(empty(values) && index(FREE_TEXT, option) < 0 ? OPTIONS : values, lead)
enddef

# Complete the name of a worktree of the working folder's project.
export def OfWorktrees(lead: string, line: string, pos: number): list<string>
  final listed = systemlist('git worktree list --porcelain')
  const paths = v:shell_error == 0 ? listed->filter((_, each) => each =~# '^worktree ') : []
  return Beginning(paths[1 :]->mapnew((_, each) => fnamemodify(each, ':t')), lead)
enddef

const WORDS = {
  ClaudeMcpConfig: ['stdio', 'ws'],
  ClaudeShare: ['off', 'on', 'toggle'],
  ClaudeTrust: ['list', 'revoke', 'yes'],
  ClaudeWire: ['save'],
}
const AFTER = {revoke: 'dir', save: 'file', yes: 'dir'}

# Complete the word that a command takes, and the path after it.
export def OfWords(lead: string, line: string, pos: number): list<string>
  const before = strpart(line, 0, pos)->split('\s\+', true)->get(-2, '')
  return has_key(AFTER, before) ? Paths(lead, AFTER[before])
    : get(WORDS, matchstr(before, 'Claude\a\+'), [])->Beginning(lead)
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
