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
# Of all rules in the settings of projects, whose authors may not be trusted: each path is compared
# with all rules. One rule has a few dozen bytes.
const MOST_RULE_BYTES = 20000
const MOST_WILDCARD_BYTES = 4000
const TOO_MANY = 'claude-ide: has more Read rules than can be checked'
const RACY_SECONDS = 3
const IN_PROJECT = ['.claude/settings.json', '.claude/settings.local.json']

# The folder of the administrator's settings.
export const MANAGED = has('mac') ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

var contents: dict<dict<any>> = {} # by path: the time and the size of a file, and what was read

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

# Count what patterns in the settings of projects cost, together with those before; throws if it is
# too much.
def Count(patterns: list<string>, cost: dict<number>)
  for pattern in patterns
    cost.bytes += len(pattern)
    cost.wildcards += pattern =~# '[*?[{\\]' ? len(pattern) : 0
  endfor
  if cost.bytes > MOST_RULE_BYTES || cost.wildcards > MOST_WILDCARD_BYTES
    throw TOO_MANY
  endif
enddef

def Parse(
  text: string, file: dict<string>, working: list<string>, cost: dict<number>
): list<dict<any>>
  var rules: list<dict<string>> = []
  for rule in Denied(text)
    const pattern = PatternOf(rule)
    # It is unknown whether the CLI would make this exception to another rule.
    if pattern !=# '' && pattern[0] !=# '!'
      rules->add({text: rule, pattern: pattern})
    endif
  endfor
  if file.project !=# ''
    Count(rules->mapnew((_, rule) => rule.pattern), cost)
  endif
  const places = Places(file, working)
  return rules->mapnew((_, rule) => ({
    text: rule.text,
    regexes: glob.Regexes(rule.pattern, places),
  }))
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

# What `ReadText` does for a file. One that was read within seconds of its change is read again: its
# time in whole seconds does not show that it was written twice.
def Content(path: string): list<any>
  const time = getftime(path)
  const is_settled = time >= 0 && localtime() - time >= RACY_SECONDS
  const facts = [time, getfsize(path), is_settled ? 1 : 0]
  const known = get(contents, path, {facts: [], outcome: []})
  if !is_settled || known.facts != facts
    contents[path] = {facts: facts, outcome: reason.Attempt(ReadText, [path])}
  endif
  return contents[path].outcome
enddef

# Identifies everything that the rules depend on.
export def Stamp(): string
  const working = folders.All()
  var parts = copy(working)
  for file in Files(working)
    parts += [file.path] + Content(file.path)->mapnew((_, part) => string(part))
  endfor
  return join(parts, "\n")
enddef

def RulesOf(
  file: dict<string>, working: list<string>, cost: dict<number>
): list<dict<any>>
  const text = ReadText(file.path)
  return trim(text) ==# '' ? [] : Parse(text, file, working, cost)
enddef

# What each settings file says that has some rules, or that cannot be used: its `path`, `project`
# and `rules` ({text, regexes}), and `problem`: why it cannot be used, or ''. With a problem,
# nothing in the reach of the file may leave the editor.
export def Read(): list<dict<any>>
  const working = folders.All()
  final cost = {bytes: 0, wildcards: 0}
  var found: list<dict<any>> = []
  for file in Files(working)
    const outcome = reason.Attempt(RulesOf, [file, working, cost])
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
