vim9script
scriptencoding utf-8
# The text for a status line. It is composed when something has changed, not when it is drawn. It
# loads no feature.

import autoload './activity.vim'
import autoload './messages/announce.vim'
import autoload './messages/plain.vim'
import autoload './messages/screen.vim'

const LONGEST_MODEL = 30 # characters
const FIGURES = ['model', 'context', 'cost']

var composed: dict<any> = {}
var version = -1 # of the activity that it shows
var announced = '' # the text that was announced last

# The result of a function, if its script is loaded.
def Asked(name: string, otherwise: any): any
  return exists('*' .. name) ? call(name, []) : otherwise
enddef

# The proposals that are open, whether shown or not.
def Diffs(): list<dict<any>>
  return Asked('claude_ide#diff#List', [])
enddef

# What tells the CLIs that want the user from others.
def Labels(): list<string>
  const proposing: list<string> = Diffs()->mapnew((_, diff) => diff.label)
  const asking: list<string> = Asked('claude_ide#permission#Labels', [])
  return asking->extendnew(proposing)->filter((_, label) => label !=# '')->sort()->uniq()
enddef

# How many proposals wait for a free moment.
def Waiting(): number
  return Asked('claude_ide#diff#waiting#Count', 0)
enddef

# How many permissions wait for an answer.
def Asking(): number
  return Asked('claude_ide#permission#Count', 0)
enddef

# The most important of several states.
def StateOf(server: dict<any>): string
  if empty(server)
    return 'off'
  elseif !empty(Diffs()) || Asking() > 0
    return 'wants you'
  elseif activity.IsWorking()
    return 'working'
  endif
  return server.clients > 0 ? 'idle' : 'ready'
enddef

def WordsOf(server: dict<any>, state: string): string
  var words: list<string> = []
  if !empty(server)
    const several = state ==# 'idle' && server.clients > 1 ? $' ({server.clients})' : ''
    const labels = Labels()->join(', ')
    const who = labels ==# '' ? 'Claude' : $'Claude ({labels})'
    words->add($'{who}: {state}{several}')
  endif
  if Waiting() > 0
    words->add($'{Waiting()}!')
  endif
  if Asking() > 0
    words->add($'{Asking()}?')
  endif
  if !empty(server) && !Asked('claude_ide#selection#IsShared', true)
    words->add('unshared')
  endif
  return words->join(' ')
enddef

# What is known of the model, the context and the cost.
def FigureWords(figures: dict<any>): list<string>
  var words: list<string> = []
  if has_key(figures, 'model')
    words->add(plain.OneLine(figures.model)->strcharpart(0, LONGEST_MODEL))
  endif
  if has_key(figures, 'context')
    words->add($'{figures.context}%')
  endif
  const cost = get(figures, 'cost', 0)
  if cost > 0
    words->add(printf(cost >= 0.01 ? '$%.2f' : '$%.4f', cost))
  endif
  return words
enddef

def Compose(): dict<any>
  const server = Asked('claude_ide#host#Server', {})
  const figures = empty(server) ? {} : activity.Figures()
  const state = StateOf(server)
  const words = [WordsOf(server, state)] + FigureWords(figures)
  final status = {state: state, text: plain.StatusLine(join(words, ' · '))}
  for name in FIGURES
    if has_key(figures, name)
      status[name] = figures[name]
    endif
  endfor
  return status
enddef

def Current(): dict<any>
  if version != activity.Version()
    composed = Compose()
    version = activity.Version()
  endif
  return composed
enddef

# The text; empty while there is nothing to show.
export def Text(): string
  return Current().text
enddef

# Redraw the status lines, and announce the text, if it is another.
def Refresh()
  const status = Current()
  if status.text !=# announced
    announced = status.text
    screen.DrawStatusLines()
    announce.Event('ClaudeStatusChanged', status)
  endif
enddef

activity.OnChange(Refresh)

defcompile
