vim9script
# The `Read(…)` rules under `permissions.deny` in the settings of the Claude CLI: the
# administrator's, the user's, and those of the projects that the working folders are in.
#
# The settings of a project can only deny more, so they count whether or not it is trusted.
#
# A settings file is a dictionary: `path`; `folder`, to which a rule that begins with `/` is
# relative; and `project`, the folder in which the other relative rules hold, or '' for all folders.

import autoload '../file/folders.vim'
import autoload '../file/path.vim' as file_path
import autoload '../say/reason.vim'
import autoload './glob.vim'

const LARGEST = 1000000 # bytes
const IN_PROJECT = ['.claude/settings.json', '.claude/settings.local.json']

# The folder of the administrator's settings.
export const MANAGED = has('mac') ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

def OwnFolder(): string
  return empty($CLAUDE_CONFIG_DIR) ? $HOME .. '/.claude' : $CLAUDE_CONFIG_DIR
enddef

def ManagedFiles(): list<dict<string>>
  var names = ['managed-settings.json']
  const inner = MANAGED .. '/managed-settings.d'
  if isdirectory(inner)
    names += readdir(inner, (name) => name =~# '\.json$')
      ->map((_, name) => 'managed-settings.d/' .. name)
  endif
  return names->mapnew((_, name) => ({path: $'{MANAGED}/{name}', folder: '/', project: ''}))
enddef

# A working folder, and those above it up to the root of its repository.
def ProjectsOf(folder: string): list<string>
  var chain = [folder]
  while getftype(chain[-1] .. '/.git') ==# ''
    const next = fnamemodify(chain[-1], ':h')
    if next ==# chain[-1]
      return [folder]
    endif
    chain->add(next)
  endwhile
  return chain
enddef

def Files(working: list<string>): list<dict<string>>
  const own = OwnFolder()
  var found = ManagedFiles()
  found->add({path: own .. '/settings.json', folder: own, project: ''})
  var known: dict<bool> = {}
  for folder in working
    for project in ProjectsOf(folder)
      for name in has_key(known, project) ? [] : IN_PROJECT
        found->add({path: $'{project}/{name}', folder: project, project: project})
      endfor
      known[project] = true
    endfor
  endfor
  return found
enddef

# The folders in which the patterns of a file apply. Those of a project apply only in it.
def Places(file: dict<string>, working: list<string>): dict<any>
  if file.project ==# ''
    return {rooted: [file.folder] + working, relative: working, is_everywhere: true}
  endif
  const inner = [file.project]
    + working->copy()->filter((_, folder) => stridx(folder, file.project .. '/') == 0)
  return {rooted: inner, relative: inner, is_everywhere: false}
enddef

# The pattern of a rule; empty if the rule is about another tool.
def PatternOf(given: string): string
  const rule = trim(given)
  const pattern = rule ==# 'Read' ? '**' : matchstr(rule, '^Read(\zs\_.*\ze)$')
  # These are the CLI's words for every file, wherever it is.
  return index(['*', '**'], pattern) >= 0 ? '//**' : pattern
enddef

# The value of `permissions.deny`; throws if it cannot be used.
def Denied(text: string): list<any>
  const decoded = reason.Attempt(function('json_decode'), [substitute(text, '^\%ufeff', '', '')])
  if !decoded[0] || type(decoded[1]) != v:t_dict
    throw 'claude-ide: is not a JSON object'
  endif
  const permissions: any = get(decoded[1], 'permissions', {})
  if type(permissions) == v:t_none
    return []
  endif
  const denied: any = type(permissions) == v:t_dict ? get(permissions, 'deny', []) : false
  if type(denied) == v:t_none
    return []
  elseif type(denied) != v:t_list
    throw 'claude-ide: permissions.deny is not a list'
  elseif indexof(denied, (_, rule) => type(rule) != v:t_string) >= 0
    throw 'claude-ide: permissions.deny: a rule is not a string'
  endif
  return denied
enddef

def Parse(text: string, places: dict<any>): list<dict<any>>
  var rules: list<dict<any>> = []
  for rule in Denied(text)
    const pattern = PatternOf(rule)
    # It is unknown whether the CLI would make this exception to another rule.
    if pattern !=# '' && pattern[0] !=# '!'
      rules->add({text: rule, regexes: glob.Regexes(pattern, places)})
    endif
  endfor
  return rules
enddef

# The text of a file, empty if there is none; throws if it cannot be read.
def ReadText(path: string): string
  const folder = fnamemodify(path, ':h')
  const kind = getftype(file_path.Resolved(path))
  if kind ==# '' && isdirectory(folder) && !isdirectory(folder .. '/.')
    throw 'claude-ide: permission denied'
  elseif kind ==# ''
    return ''
  elseif kind !=# 'file'
    throw 'claude-ide: is not a file'
  elseif getfsize(path) > LARGEST || getfsize(path) == -2
    throw 'claude-ide: is too large'
  elseif !filereadable(path)
    throw 'claude-ide: permission denied'
  endif
  return readfile(path, 'b')->join("\n")
enddef

# Identifies everything that the rules depend on. The files are read: the time of a file in whole
# seconds does not show that it was written again.
export def Stamp(): string
  const working = folders.All()
  var parts = copy(working)
  for file in Files(working)
    parts += [file.path] + reason.Attempt(ReadText, [file.path])->mapnew((_, part) => string(part))
  endfor
  return join(parts, "\n")
enddef

def RulesOf(file: dict<string>, working: list<string>): list<dict<any>>
  const text = ReadText(file.path)
  return trim(text) ==# '' ? [] : Parse(text, Places(file, working))
enddef

# What each settings file says that has some rules, or that cannot be used: its `path`, `project`
# and `rules` ({text, regexes}), and `problem`: why it cannot be used, or ''. With a problem,
# nothing in the reach of the file may leave the editor.
export def Read(): list<dict<any>>
  const working = folders.All()
  var found: list<dict<any>> = []
  for file in Files(working)
    const outcome = reason.Attempt(RulesOf, [file, working])
    if !outcome[0] || !empty(outcome[1])
      found->add({
        path: file.path,
        project: file.project,
        rules: outcome[0] ? outcome[1] : [],
        problem: outcome[0] ? '' : outcome[1],
      })
    endif
  endfor
  return found
enddef

defcompile
