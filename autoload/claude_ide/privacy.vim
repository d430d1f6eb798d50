vim9script
# Decides which files stay in the editor: no client, agent or model gets their names or their texts.
#
# A file is private if the option `privacy.deny` or a rule of the CLI's settings names it. A file
# whose name suggests secrets is private unless `privacy.allow` names it. Both the path as it is
# written and the paths behind its links are checked. If settings cannot be read, everything that
# they could deny is private.

import autoload './file/folders.vim'
import autoload './file/path.vim' as file
import autoload './own_options.vim'
import autoload './privacy/glob.vim'
import autoload './privacy/links.vim'
import autoload './privacy/secrets.vim'
import autoload './privacy/settings.vim'
import autoload './say/message.vim'
import autoload './say/reason.vim'

const PERIOD = 2000 # milliseconds
const BY_NAME = 'it holds secrets by its name (privacy.allow)'
const EVERYTHING = '\_.*'

var rules: list<dict<string>> = [] # each with its `pattern` and its `reason`
var allowed = ''
var problems: list<string> = []
var stamp = '' # of what the rules were made from
var verdicts: dict<string> = {} # by the name of a buffer; '' is not private
var yanked: dict<bool> = {} # digests of texts that were yanked in private buffers
var filled: dict<bool> = {} # the registers a to z with a text of private buffers in them
var named: dict<bool> = {} # the names of private buffers so far
var renamed: dict<string> = {} # by buffer: why the text of a renamed buffer is denied
var subscribers: list<func> = []
var timer = 0

def IsListOfStrings(value: any): bool
  return type(value) == v:t_list
    && indexof(value, (_, item) => type(item) != v:t_string || empty(item)) < 0
enddef

# The globs of an option; throws if it is not a list of globs.
def Option(name: string): list<string>
  const privacy = own_options.Get('privacy')
  if type(privacy) == v:t_none
    return []
  endif
  const globs: any = type(privacy) == v:t_dict ? get(privacy, name, []) : privacy
  if !IsListOfStrings(globs)
    throw $'claude-ide: g:claude_ide.privacy.{name} is not a list of globs'
  endif
  return globs
enddef

def Add(regexes: list<string>, why: string)
  const joined = reason.Attempt(glob.Joined, [regexes])
  if !joined[0]
    problems->add(why .. ': not a glob')
  endif
  rules->add({pattern: joined[0] ? joined[1] : EVERYTHING, reason: why})
enddef

# Add a rule that denies everything that an unusable option or settings file could concern.
def AddProblem(problem: string, pattern = EVERYTHING)
  problems->add(problem)
  rules->add({pattern: pattern, reason: problem .. ', so nothing leaves Vim (:ClaudeCheck)'})
enddef

def AddOptions(places: dict<any>)
  for name in ['deny', 'allow']
    const option = reason.Attempt(Option, [name])
    if !option[0]
      AddProblem(option[1])
    elseif name ==# 'deny'
      for each in option[1]
        Add(glob.Regexes(each, places), $'privacy.deny has "{each}"')
      endfor
    endif
  endfor
enddef

def AddSettings(found: dict<any>)
  const shown = fnamemodify(found.path, ':~')
  if found.problem !=# ''
    const reach = found.project ==# '' ? EVERYTHING
      : glob.Joined([found.project, file.Resolved(found.project)]
          ->mapnew((_, folder) => glob.Regex('**', folder)))
    AddProblem($'{shown} {found.problem}', reach)
  endif
  for rule in found.rules
    Add(rule.regexes, $'{shown} denies {rule.text}')
  endfor
enddef

def JoinedGlobs(globs: list<string>, places: dict<any>): string
  var regexes: list<string> = []
  for each in globs
    regexes += glob.Regexes(each, places)
  endfor
  return glob.Joined(regexes)
enddef

def Build()
  rules = []
  problems = []
  # In the options, `/` begins an absolute path.
  const places = {rooted: ['/'], relative: folders.All(), is_everywhere: true}
  AddOptions(places)
  for found in settings.Read()
    AddSettings(found)
  endfor
  const option = reason.Attempt(Option, ['allow'])
  const own: list<string> = option[0] ? option[1] : []
  const joined = reason.Attempt(JoinedGlobs, [secrets.EXAMPLES + own, places])
  allowed = joined[0] ? joined[1] : JoinedGlobs(secrets.EXAMPLES, places)
  if !joined[0]
    problems->add('g:claude_ide.privacy.allow has an item that is not a glob')
  endif
enddef

# Read the options and the settings again if they have changed.
export def Refresh()
  const now = string(own_options.Get('privacy')) .. "\n" .. settings.Stamp()
  if now ==# stamp
    return
  endif
  const is_first = stamp ==# ''
  stamp = now
  verdicts = {}
  Build()
  for Subscriber in is_first ? [] : subscribers
    call(Subscriber, [])
  endfor
enddef

def ReasonOfSpelling(path: string): string
  for rule in rules
    if glob.Matches(path, rule.pattern)
      return rule.reason
    endif
  endfor
  return secrets.IsOne(path) && !glob.Matches(path, allowed) ? BY_NAME : ''
enddef

# The reason of a buffer that was renamed to a path.
def ReasonOfRenamed(path: string): string
  for [bufnr, why] in items(renamed)
    if file.Name(str2nr(bufnr)) ==# path
      return why
    endif
  endfor
  return ''
enddef

def Judge(path: string): string
  for spelling in links.Spellings(path)
    const why = ReasonOfSpelling(spelling)
    if why !=# ''
      return why
    endif
  endfor
  return ReasonOfRenamed(path)
enddef

# A function that returns why a file, or a folder, given by its absolute path, stays in the editor,
# or '' if it may leave. The function is for many paths at one moment.
export def Checker(): func(string): string
  Refresh()
  final known: dict<string> = {}
  return (path) => {
    if !has_key(known, path)
      known[path] = Judge(links.Normalized(path))
    endif
    return known[path]
  }
enddef

# Why a file, or a folder, stays in the editor; '' if it need not. It is read from the disk each
# time.
export def Reason(path: string): string
  const Check = Checker()
  return Check(path)
enddef

# Those of many files that stay in the editor, each with its `path` and the `reason`.
export def Among(paths: list<string>): list<dict<string>>
  const Check = Checker()
  return paths->mapnew((_, path) => ({path: path, reason: Check(path)}))
    ->filter((_, found) => found.reason !=# '')
enddef

# Why the file of a buffer with this full name stays in the editor; '' if it need not. The answer is
# remembered until something happens to a buffer or to the rules, so that it costs nothing after
# each key.
export def OfName(name: string): string
  if stamp ==# ''
    Refresh()
  endif
  if !has_key(verdicts, name)
    verdicts[name] = name ==# '' ? '' : Judge(name)
    if verdicts[name] !=# ''
      named[name] = true
    endif
  endif
  return verdicts[name]
enddef

# Why the text and the name of a buffer stay in the editor; '' if they need not. A buffer that was
# renamed still has the text of the file that it was read from, until it is written to another file
# or read from one. `name` is its full name.
export def OfBuffer(bufnr: number, name = file.Name(bufnr)): string
  const why = get(renamed, bufnr, '')
  return why ==# '' ? OfName(name) : why
enddef

# Whether a line names a private file that is or was open.
export def IsNamed(line: string): bool
  return keys(named)->indexof((_, name) => stridx(line, fnamemodify(name, ':t')) >= 0) >= 0
enddef

# Whether a register has a text that was yanked, deleted or recorded in a private buffer, or the name
# of one.
export def IsInRegister(name: string): bool
  const text = getreg(name)
  return has_key(filled, tolower(name)) || (!empty(yanked) && has_key(yanked, Digest(text)))
    || (name =~# '^[%#]$' && text !=# '' && OfName(fnamemodify(text, ':p')) !=# '')
enddef

# Say in one line why a file stays in the editor.
export def Sentence(path: string, why: string): string
  return $'{fnamemodify(path, ':~:.')} stays in Vim: {why}'
enddef

# Why a buffer, or the file with an absolute path, stays in the editor, in one line; '' if it need
# not. Nothing is remembered for this.
export def Why(which: any): string
  if type(which) == v:t_string
    const why = Reason(which)
    return why ==# '' ? '' : Sentence(which, why)
  endif
  const name = file.Name(which)
  Refresh()
  ForgetVerdict(name)
  const why = OfBuffer(which)
  return why ==# '' ? '' : Sentence(name, why)
enddef

# What is wrong with options or settings, one line for each.
export def Problems(): list<string>
  Refresh()
  return problems
enddef

# The number of rules in options and settings.
export def Count(): number
  Refresh()
  return len(rules) - len(problems)
enddef

# Call `Fn` after each change of the rules.
export def Subscribe(Fn: func)
  subscribers->add(Fn)
enddef

# Secrets are kept as digests, where Vim can make them.
def Digest(text: string): string
  return exists('*sha256') ? call('sha256', [text]) : text
enddef

def ForgetVerdict(name: string)
  if has_key(verdicts, name)
    verdicts->remove(name)
  endif
enddef

def BeforeRenaming(bufnr: number)
  const why = OfBuffer(bufnr)
  if why !=# ''
    renamed[bufnr] = why
  endif
enddef

def ForgetRenaming(bufnr: number)
  if has_key(renamed, bufnr)
    renamed->remove(string(bufnr))
  endif
enddef

# With an uppercase letter a text is appended to what the register had.
def RememberYank()
  const name: string = v:event.regname
  const register = name ==# '' ? '"' : tolower(name)
  const is_private = OfBuffer(bufnr()) !=# ''
  if name =~# '^\l$' && has_key(filled, name)
    filled->remove(name)
  endif
  if is_private && register =~# '^\l$'
    filled[register] = true
  endif
  if is_private || has_key(filled, register)
    yanked[Digest(getreg(register))] = true
  endif
enddef

# What is typed while a macro is recorded is in its register.
def RememberRecording()
  const name = tolower(reg_recording())
  if name !=# '' && OfBuffer(bufnr()) !=# ''
    filled[name] = true
  endif
enddef

def RefreshSafely(_ = 0)
  const failure = reason.Try(Refresh)
  if failure !=# ''
    message.Show($'the privacy settings cannot be read: {failure}', 'error')
    Watch(false)
  endif
enddef

# Follow changes of the options, of settings and of the names of buffers, while a server runs.
export def Watch(on: bool)
  timer_stop(timer)
  augroup claude_ide_privacy
    autocmd!
    if on
      Refresh()
      timer = timer_start(PERIOD, RefreshSafely, {repeat: -1})
      autocmd BufFilePre * BeforeRenaming(str2nr(expand('<abuf>')))
      autocmd BufReadPost,BufWritePost,BufWipeout * ForgetRenaming(str2nr(expand('<abuf>')))
      autocmd TextYankPost * RememberYank()
      autocmd BufEnter,InsertEnter,TextChanged * RememberRecording()
      # After these, a buffer may have another name, or its name may lead to another file.
      autocmd BufEnter,BufFilePost,BufReadPost,BufWritePost,FileChangedShellPost *
        \ ForgetVerdict(file.Name(str2nr(expand('<abuf>'))))
      # After these, settings may have changed. The timer sees all other changes.
      autocmd BufWritePost,DirChanged,FocusGained * RefreshSafely()
    endif
  augroup END
enddef

defcompile
