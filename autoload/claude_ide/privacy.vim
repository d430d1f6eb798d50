vim9script
# Judges which files stay in the editor: no client, agent or model gets their names or their texts.
#
# The host makes the rules, from the options and the settings of the CLI, and judges again what
# leaves the editor. Here they decide what is reported unasked, or must be refused at once. Until
# they have arrived, and after the end of the host, nothing leaves.

import autoload './channel.vim'
import autoload './file/path.vim' as file

const UNKNOWN = 'it is not known yet which files are private'

# From the host (`privacy/rules.py`): `rules`, each a pattern and the reason, of which the first that
# matches counts; `allowed`, the pattern of what is none of the secrets that the last rule names. Empty
# while nothing may leave.
var known: dict<any> = {}
var reported = '' # the options that the host knows
var verdicts: dict<string> = {} # by the name of a buffer; '' is not private
var yanked: dict<bool> = {} # digests of texts that were yanked in private buffers
var filled: dict<bool> = {} # the registers a to z with a text of private buffers in them
var named: dict<bool> = {} # the names of private buffers so far
var renamed: dict<string> = {} # by buffer: why the text of a renamed buffer is denied
var subscribers: list<func> = []

# The option as JSON; a function has none, and is no glob.
def Options(): string
  try
    return json_encode(claude_ide#editor#Option('privacy'))
  catch
    return '"?"'
  endtry
enddef

# Why the texts of renamed buffers are private, by their names now.
def ReasonsOfRenamed(): dict<string>
  final reasons: dict<string> = {}
  for [bufnr, why] in items(renamed)
    reasons[file.Name(str2nr(bufnr))] = why
  endfor
  return reasons
enddef

# What the host makes the rules from, beside settings, and what they have found: the `named` private
# files so far, and the reasons of `renamed` buffers.
export def Facts(): dict<any>
  reported = Options()
  return {
    privacy: json_decode(reported),
    folders: claude_ide#places#Folders(),
    cwd: getcwd(),
    named: keys(named),
    renamed: ReasonsOfRenamed(),
  }
enddef

def Report()
  channel.Emit('privacy_facts', Facts())
enddef

# Have the host judge by new options. They hold at once: nothing leaves until the host has answered.
def Look()
  if Options() !=# reported
    known = {}
    verdicts = {}
    Report()
  endif
enddef

# Judge with these rules from now on; called by the host.
export def Apply(new: dict<any>)
  known = new
  verdicts = {}
  reported = reported ?? Options()
  for Subscriber in subscribers
    call(Subscriber, [])
  endfor
enddef

# A path without `.`, `..`, doubled slashes and a slash at its end; the same with the links in its
# folders followed, and with all links followed. The host judges those between.
def Spellings(given: string): list<string>
  const path = given->simplify()->substitute('^//\+', '/', '')->substitute('.\zs/\+$', '', '')
  const folder = file.Resolved(fnamemodify(path, ':h'))->substitute('/$', '', '')
  return [path, folder .. '/' .. fnamemodify(path, ':t'), file.Resolved(path)]
enddef

def ReasonOfSpelling(path: string): string
  const matching = known.rules->indexof((_, rule) => path =~# rule[0])
  const is_secret = matching == len(known.rules) - 1
  return matching < 0 || (is_secret && path =~# known.allowed) ? '' : known.rules[matching][1]
enddef

# Why a file, or a folder, given by its absolute path, stays in the editor; '' if it need not. It is
# read from the disk each time.
export def Reason(path: string): string
  if empty(known)
    return UNKNOWN
  endif
  for spelling in Spellings(path)
    const why = ReasonOfSpelling(spelling)
    if why !=# ''
      return why
    endif
  endfor
  return get(ReasonsOfRenamed(), path, '')
enddef

# Whether there are rules.
export def IsKnown(): bool
  return !empty(known)
enddef

# Why the file of a buffer with this full name stays in the editor; '' if it need not. The answer is
# remembered until something happens to a buffer or to the rules, so that it costs nothing after
# each key.
export def OfName(name: string): string
  if !empty(known) && !has_key(verdicts, name) && name !=# ''
    # An option that was set a moment ago holds for it, too.
    Look()
  endif
  if empty(known)
    return UNKNOWN
  endif
  if !has_key(verdicts, name)
    verdicts[name] = name ==# '' ? '' : Reason(name)
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

# Deny the file of a buffer that the host has found to be private by a link on its way.
export def Deny(name: string, why: string)
  verdicts[name] = why
  named[name] = true
  for Subscriber in subscribers
    call(Subscriber, [])
  endfor
enddef

# Whether a register has a text that was yanked, deleted or recorded in a private buffer, or the name
# of one.
export def IsInRegister(name: string): bool
  const text = getreg(name)
  return has_key(filled, tolower(name)) || (!empty(yanked) && has_key(yanked, Digest(text)))
    || (name =~# '^[%#]$' && text !=# '' && OfName(fnamemodify(text, ':p')) !=# '')
enddef

# Why a buffer stays in the editor, in one line; '' if it need not, or if only the host can tell.
# Nothing is remembered for this.
export def Why(bufnr: number): string
  const name = file.Name(bufnr)
  Look()
  ForgetVerdict(name)
  const why = empty(known) ? '' : OfBuffer(bufnr)
  return why ==# '' ? '' : $'{fnamemodify(name, ":~:.")} stays in Vim: {why}'
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

# Follow the names and yanks of buffers, and changes that concern the rules, while a server runs.
export def Watch(on: bool)
  augroup claude_ide_privacy
    autocmd!
    if on
      autocmd BufFilePre * BeforeRenaming(str2nr(expand('<abuf>')))
      autocmd BufReadPost,BufWritePost,BufWipeout * ForgetRenaming(str2nr(expand('<abuf>')))
      autocmd TextYankPost * RememberYank()
      autocmd BufEnter,InsertEnter,TextChanged * RememberRecording()
      # After these, a buffer may have another name, or its name may lead to another file.
      autocmd BufEnter,BufFilePost,BufReadPost,BufWritePost,FileChangedShellPost *
        \ ForgetVerdict(file.Name(str2nr(expand('<abuf>'))))
      # After these, settings may have changed. The host sees most changes itself.
      autocmd BufWritePost,DirChanged,FocusGained * Report()
      # No event tells of an option.
      autocmd SafeState,SafeStateAgain * Look()
    endif
  augroup END
enddef

# The host has ended: nothing leaves without its rules.
export def HostEnded()
  known = {}
  verdicts = {}
  reported = ''
enddef

defcompile
