vim9script
# What becomes of the CLIs in terminals that work when Vim exits (option `terminal.quit`): the host decides.

import autoload '../channel.vim'
import autoload '../messages/message.vim'

const LONGEST = 60 # seconds, for which the host may send sessions to the background
const WRITTEN = ['', 'acwrite'] # values of 'buftype'

var problem = '' # why Vim should not exit; empty: it may
var is_answered = false
var is_asking = false
var later: list<func> = [] # what has to wait until it is clear whether Vim exits

# Called by the host.
export def Answer(found: string): bool
  problem = found
  is_answered = true
  return true
enddef

# Call `Fn` once it is clear whether Vim exits: if a window closes in `ExitPre`, it does not.
export def After(Fn: func)
  if is_asking
    add(later, Fn)
  else
    Fn()
  endif
enddef

# Returns the problem; `how` is the option, `is_certain` is whether Vim exits in any case.
def Ask(how: string, is_certain: bool): string
  const since = reltime()
  [problem, is_answered, is_asking, later] = ['', false, true, []]
  channel.Emit('quit_asked', {how: how, is_certain: is_certain})
  try
    while !is_answered && channel.IsOpen() && reltimefloat(reltime(since)) < LONGEST
      sleep 20m
    endwhile
    if !is_answered && channel.IsOpen()
      problem = 'the host does not answer'
    endif
  catch /^Vim:Interrupt$/
    problem = 'you have interrupted what takes Claude to the background'
  finally
    is_asking = false
    for Fn in later
      timer_start(0, (_) => Fn())
    endfor
  endtry
  return problem
enddef

# Whether `:qa` ends the CLIs, instead of refusing as for any job.
def LetEnd(may: bool)
  for terminal in claude_ide#terminals#All()
    if terminal.bufnr > 0 && terminal.attached ==# ''
      term_setkill(terminal.bufnr, may ? 'term' : '')
    endif
  endfor
enddef

def OnExit(is_certain: bool)
  const wanted = claude_ide#editor#Option('terminal', 'quit')
  if !channel.IsOpen() || (wanted !=# 'ask' && wanted !=# 'background') || (wanted ==# 'ask' && is_certain)
    return
  endif
  # Then Vim exits only if buffers are written first, or given up.
  const has_changes = getbufinfo({bufmodified: 1})
    ->indexof((_, info) => WRITTEN->index(getbufvar(info.bufnr, '&buftype')) >= 0) >= 0
  var may = false
  if is_certain
    Ask(wanted, true)
  elseif wanted ==# 'ask' || !has_changes
    const found = Ask(wanted, false)
    may = found ==# ''
    if !may
      message.Show($'{found} (add ! to end it)', 'warn')
    endif
  endif
  LetEnd(may)
  timer_start(0, (_) => LetEnd(true))
enddef

# Follow the exit of Vim from now on: a CLI runs.
export def Watch()
  augroup claude_ide_terminal_quit
    autocmd!
    autocmd ExitPre * OnExit(false)
    autocmd VimLeavePre * OnExit(true)
  augroup END
enddef

defcompile
