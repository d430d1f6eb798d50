vim9script
# Chooses the formatters of a buffer: the one that the user has set for it, otherwise its language
# servers, otherwise the global options. A formatter is a dict: its `name`, and `Format`, which gets a
# function that it calls once, with a failure or an empty string, and the new lines. `Format` returns a
# function that gives up: then nothing is called.

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

# `Start` gets these arguments and a function for the result, and returns one that ends what it has
# started.
def Formatter(name: string, Start: func, arguments: list<any>): dict<any>
  return {
    name: name,
    Format: (Done) => {
      final state = {is_over: false}
      const End = call(Start, arguments + [(failure, lines) => {
        if !state.is_over
          call(Done, [failure, lines])
        endif
      }])
      return () => {
        state.is_over = true
        call(End, [])
      }
    },
  }
enddef

def OfProgram(bufnr: number, name: string): list<dict<any>>
  const program = filter.Program(bufnr, name)
  return program ==# '' ? []
    : [Formatter(program, filter.Format, [bufnr, program])]
enddef

def Chosen(bufnr: number): list<dict<any>>
  if ale.Fixes(bufnr)
    return [Formatter('ALE', ale.Format, [bufnr])]
  elseif IsOwn(bufnr, 'formatexpr') && expression.IsUsable(bufnr)
    return [Formatter("'formatexpr'", expression.Format, [bufnr])]
  endif
  return IsOwn(bufnr, 'formatprg') ? OfProgram(bufnr, 'formatprg') : []
enddef

def Servers(bufnr: number): list<dict<any>>
  final found: list<dict<any>> = []
  if vim_lsp.IsThere()
    for server in vim_lsp.Servers(bufnr)
      found->add(Formatter(server, vim_lsp.Format, [server, bufnr]))
    endfor
  endif
  const server = yegappan_lsp.IsThere() ? yegappan_lsp.Server(bufnr) : ''
  if server !=# ''
    found->add(Formatter(server, yegappan_lsp.Format, [bufnr]))
  endif
  return found
enddef

# A 'formatexpr' of Vim itself is not included, because most of them fill paragraphs.
def Defaults(bufnr: number): list<dict<any>>
  return (OfProgram(bufnr, 'formatprg') + OfProgram(bufnr, 'equalprg'))[: 0]
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
      + (is_formatted ? [Formatter('coc.nvim', coc.Format, [bufnr])] : [])
    const has_time = reltimefloat(reltime(began)) * 1000 < SERVER_ATTACHES_WITHIN
    if !bufloaded(bufnr)
      Done([])
    elseif empty(servers) && has_time && ((is_new && MayAttach(bufnr)) || IsStarting(bufnr))
      timer_start(POLL, (_) => FindServer(bufnr, is_new, began, Done))
    else
      Done(empty(servers) ? Defaults(bufnr) : servers)
    endif
  enddef
  if coc.IsThere(bufnr)
    coc.Ask(bufnr, Decide)
  else
    Decide(false)
  endif
enddef

# Find the formatters of a loaded buffer; each formats the result of the one before. `is_new`: the buffer
# has just been loaded, and servers may need a while to attach. `Done` gets the list.
export def Find(bufnr: number, is_new: bool, Done: func)
  final chosen = Chosen(bufnr)
  if empty(chosen)
    FindServer(bufnr, is_new, reltime(), Done)
  else
    Done(chosen)
  endif
enddef

defcompile
