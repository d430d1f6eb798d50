vim9script
# The diagnostics of coc.nvim. `diagnostics/sources.vim` has the functions of a source.
#
# Its node process is asked ahead: waiting for it would block Vim. Its event is not enough. It does not
# occur for a buffer that no window shows, while the user inserts text, and if there are no diagnostics
# before and after a change. It also occurs without an answer of the server: 250 ms after each change,
# and when a window shows the buffer. So the diagnostics are also fetched repeatedly while an answer is
# awaited, and only different ones are an answer.

import autoload '../sources.vim'
import autoload '../texts.vim'

const SEVERITIES = {Error: 1, Warning: 2, Information: 3, Hint: 4}
# Milliseconds.
const INTERVAL = 100.0
const LOST = 2000.0 # after a restart of node, an earlier request is never answered

# By path.
var latest: dict<list<dict<any>>> = {}
var changes: dict<number> = {}

# The languages that services check; unknown until they are fetched.
var languages: list<string> = []
var are_known = false

var polled = [0, 0] # time of the latest poll
var is_polling = false

export def IsThere(): bool
  return exists('g:did_coc_loaded') == 1 && exists('*g:CocActionAsync') == 1
enddef

# Without `col` and others, which coc.nvim derives from the present text: they would differ after a
# change, before the server has answered.
def Entry(listed: dict<any>): dict<any>
  return {
    file: listed.file,
    message: listed.message,
    severity: get(listed, 'severity', 'Error'),
    range: listed.location.range,
    source: get(listed, 'source', 'coc.nvim'),
    code: get(listed, 'code', ''),
  }
enddef

# Whether its node process has started.
export def IsReady(): bool
  return get(g:, 'coc_service_initialized', 0) && coc#rpc#ready()
enddef

def ByPath(entries: list<dict<any>>): dict<list<dict<any>>>
  final found: dict<list<dict<any>>> = {}
  for entry in entries
    if !has_key(found, entry.file)
      found[entry.file] = []
    endif
    found[entry.file]->add(entry)
  endfor
  return found
enddef

# Replace the diagnostics; return whether they differ.
def Replace(entries: list<dict<any>>): bool
  const now = ByPath(entries->mapnew((_, listed) => Entry(listed)))
  const changed = (keys(latest) + keys(now))->sort()->uniq()->filter((_, path) =>
    get(latest, path, []) !=# get(now, path, []))
  for path in changed
    changes[path] = get(changes, path, 0) + 1
  endfor
  latest = now
  return !empty(changed)
enddef

def FetchLanguages()
  call('g:CocActionAsync', ['services', (_: any, answer: any) => {
    if type(answer) == v:t_list
      languages = answer->mapnew((_, service) => get(service, 'languageIds', []))->flattennew(1)
      are_known = true
    endif
  }])
enddef

# Ask for all diagnostics. `Done` then gets whether they differ from the previous ones.
export def Fetch(Done: func(bool))
  if !IsReady()
    return
  endif
  FetchLanguages()
  call('g:CocActionAsync', ['diagnosticList', (_: any, answer: any) => {
    if type(answer) == v:t_list
      Done(Replace(answer))
    endif
  }])
enddef

def Poll()
  const age = reltimefloat(reltime(polled)) * 1000
  if age < (is_polling ? LOST : INTERVAL)
    return
  endif
  polled = reltime()
  is_polling = true
  Fetch((differs) => {
    is_polling = false
    if differs
      texts.Published('coc')
    endif
  })
enddef

export def Read(): dict<list<dict<any>>>
  return latest
enddef

export def Severity(entry: dict<any>): number
  return get(SEVERITIES, entry.severity, 1)
enddef

export def Item(entry: dict<any>, bufnr: number): dict<any>
  return sources.New(entry.message, Severity(entry), entry.range, entry.source, entry.code)
enddef

export def Checks(bufnr: number): bool
  return IsReady() && getbufvar(bufnr, 'coc_enabled', 1)
    && (!are_known || languages->index(getbufvar(bufnr, '&filetype')) >= 0)
enddef

export def Mark(bufnr: number): any
  return get(changes, fnamemodify(bufname(bufnr), ':p'), 0)
enddef

export def HasAnswered(bufnr: number, mark: any): bool
  Poll()
  const before: number = mark
  const now: number = Mark(bufnr)
  return now > before
enddef

defcompile
