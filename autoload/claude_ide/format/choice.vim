vim9script
# Chooses the formatter of a buffer: the one that the user has set for it, otherwise a language server,
# otherwise the global options. A formatter is a dict: its `name`, and `Format`, which gets a function
# that it calls once, with a failure or an empty string, and the new lines.

import autoload '../file/inside.vim'
import autoload './ale.vim'
import autoload './coc.vim'
import autoload './expression.vim'
import autoload './filter.vim'
import autoload './vim_lsp.vim'
import autoload './yegappan_lsp.vim'

# Milliseconds.
const POLL = 50
const SERVER_ATTACHES_WITHIN = 1500

# Where the option was set for the buffer, as Vim shows it.
def Origin(bufnr: number, name: string): string
  return inside.Run(bufnr, $'silent verbose setlocal {name}?')->split("\n")->get(1, '')
enddef

# Whether the user has set an option for this buffer: no filetype plugin of Vim, and no modeline.
def IsOwn(bufnr: number, name: string): bool
  const origin = Origin(bufnr, name)
  return getbufvar(bufnr, '&' .. name) !=# ''
    && stridx(origin, fnamemodify($VIMRUNTIME, ':~')) < 0 && origin !~# '\<modeline\>'
enddef

def OfProgram(bufnr: number, name: string): list<dict<any>>
  const program = filter.Program(bufnr, name)
  return program ==# '' ? []
    : [{name: program, Format: (Done) => filter.Format(bufnr, program, Done)}]
enddef

def Chosen(bufnr: number): list<dict<any>>
  if ale.Fixes(bufnr)
    return [{name: 'ALE', Format: (Done) => ale.Format(bufnr, Done)}]
  elseif IsOwn(bufnr, 'formatexpr') && expression.IsUsable(bufnr)
    return [{name: "'formatexpr'", Format: (Done) => expression.Format(bufnr, Done)}]
  endif
  return IsOwn(bufnr, 'formatprg') ? OfProgram(bufnr, 'formatprg') : []
enddef

def Servers(bufnr: number): list<dict<any>>
  final found: list<dict<any>> = []
  if vim_lsp.IsThere()
    for server in vim_lsp.Servers(bufnr)
      found->add({name: server, Format: (Done) => vim_lsp.Format(server, bufnr, Done)})
    endfor
  endif
  const server = yegappan_lsp.IsThere() ? yegappan_lsp.Server(bufnr) : ''
  if server !=# ''
    found->add({name: server, Format: (Done) => yegappan_lsp.Format(bufnr, Done)})
  endif
  return found
enddef

# A 'formatexpr' of Vim itself is not included, because most of them fill paragraphs.
def Defaults(bufnr: number): list<dict<any>>
  return OfProgram(bufnr, 'formatprg') + OfProgram(bufnr, 'equalprg')
enddef

def MayAttach(bufnr: number): bool
  return vim_lsp.IsThere() || yegappan_lsp.IsThere() || coc.IsThere(bufnr)
enddef

def IsStarting(bufnr: number): bool
  return (vim_lsp.IsThere() && vim_lsp.IsStarting(bufnr))
    || (yegappan_lsp.IsThere() && yegappan_lsp.IsStarting(bufnr))
enddef

# While servers may attach or start, ask again.
def FindServer(bufnr: number, is_new: bool, began: list<number>, Done: func)
  def Decide(is_formatted: bool)
    const servers = Servers(bufnr)
      + (is_formatted ? [{name: 'coc.nvim', Format: (Answer) => coc.Format(bufnr, Answer)}] : [])
    const has_time = reltimefloat(reltime(began)) * 1000 < SERVER_ATTACHES_WITHIN
    if !bufloaded(bufnr)
      Done([])
    elseif empty(servers) && has_time && ((is_new && MayAttach(bufnr)) || IsStarting(bufnr))
      timer_start(POLL, (_) => FindServer(bufnr, is_new, began, Done))
    else
      Done((empty(servers) ? Defaults(bufnr) : servers)[: 0])
    endif
  enddef
  if coc.IsThere(bufnr)
    coc.Ask(bufnr, Decide)
  else
    Decide(false)
  endif
enddef

# Find the formatter of a loaded buffer. `is_new`: it has just been loaded, and servers may need a while
# to attach. `Done` gets a list with the formatter, which is empty if there is none.
export def Find(bufnr: number, is_new: bool, Done: func)
  final chosen = Chosen(bufnr)
  if empty(chosen)
    FindServer(bufnr, is_new, reltime(), Done)
  else
    Done(chosen)
  endif
enddef

defcompile
