vim9script
# Sends any text to the prompt of a CLI: `:ClaudeType`, `:ClaudeFix` and `claude_ide#send()`. The host takes
# a text from here, with what its placeholders mean, and finds whom it is for.

import autoload './contexts.vim'
import autoload './host.vim'
import autoload './host/ready.vim'
import autoload './messages/message.vim'
import autoload './selection.vim'

# The options of `Send`, and their types.
const OPTIONS = {to: [v:t_string], submit: [v:t_bool, v:t_number], focus: [v:t_bool, v:t_number]}

var waiting: dict<dict<any>> = {} # the fields of `Sent` in `editor/port/prompts.py`, by number
var last = 0

# Keep a text until the host takes it. Returns its number.
export def Keep(sent: dict<any>): string
  last += 1
  waiting[last] = sent
  return string(last)
enddef

# Have a command of the host take a text.
def Hand(command: string, sent: dict<any>)
  ready.Run(command, {args: [sent.text], lines: [], bang: false}, () => {
    host.Command(command, {args: [Keep(sent)], lines: [], bang: false})
  })
enddef

def Start(here: dict<any>, text: string, options: dict<any>)
  const area: dict<any> = here.selection
  if get(options, 'focus', false)
    # The user means the current selection, but is about to be taken elsewhere.
    selection.Hold(empty(area) ? [] : [area.first, area.last])
  endif
  Hand('ClaudeType', extend({text: text, facts: contexts.Facts(here, text)}, options))
enddef

# Called by the host: a text that it is to send.
export def Take(number: number): dict<any>
  if !has_key(waiting, number)
    throw 'claude-ide: the text is gone'
  endif
  return waiting->remove(string(number))
enddef

# Put a text into a prompt, or send it.
export def Send(text: any, options: any)
  if type(text) != v:t_string || text !~# '\S'
    throw 'claude-ide: send: the text must be a string that is not blank'
  elseif type(options) != v:t_dict
    throw 'claude-ide: send: the options must be a dictionary'
  endif
  final given: dict<any> = {}
  for [name, value] in items(options)
    if !has_key(OPTIONS, name)
      throw $'claude-ide: send: there is no option {name} (to, submit, focus)'
    elseif OPTIONS[name]->index(type(value)) < 0
      throw $'claude-ide: send: the option {name} has a wrong type'
    endif
    given[name] = name ==# 'to' ? value : !empty(value)
  endfor
  Start(contexts.Here(), text, given)
enddef

# Carry out `:[range]ClaudeType[!] {text}`.
export def Type(text: string, lines: list<number>, bang: bool)
  if text !~# '\S'
    message.Show('usage: :ClaudeType {text}', 'error')
    return
  endif
  Start(contexts.Here(lines), trim(text), {submit: bang})
enddef

# `:ClaudeSend` with lines of a buffer that has no file.
export def Quote(lines: list<number>, bang: bool)
  Start(contexts.Here(lines), '{selection}', {focus: bang})
enddef

# `:ClaudeFix`: have the diagnostics of the buffer, or of lines of it, fixed.
export def Fix(lines: list<number>)
  const facts = contexts.Facts(contexts.Here(lines), '')
  Hand('ClaudeFix', {text: '', facts: facts, submit: true})
enddef

var to_eol = false # whether the operator was begun with a block that extends to the ends of its lines

# Quote what an operator covers in the prompt, for 'operatorfunc'.
export def Operate(kind: string)
  Start(contexts.Covered(kind, to_eol), '{selection}', {})
enddef

# Begin that operator, for an `<expr>` map in Normal or Visual mode. Returns keys.
export def Operator(): string
  to_eol = mode() ==# "\<C-v>" && getcurpos()[4] == v:maxcol
  &operatorfunc = 'claude_ide#sending#Operate'
  return 'g@'
enddef

defcompile
