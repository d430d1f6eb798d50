vim9script
# Asks the user, on behalf of the host, to choose from a list or to type one line.
#
# Vim would show a question in the middle of a command; it therefore always waits for a free moment,
# and keys typed blindly into it are discarded.

import autoload './channel.vim'
import autoload './ui/vim_ui.vim'
import autoload './messages/message.vim'
import autoload './timing/moment.vim'

var pending: dict<dict<any>> = {} # by token: an identity for each question that waits for an answer

# `Ask` gets a function for the fields of the answer.
def Begin(token: number, Ask: func(func)): bool
  final question: dict<any> = {}
  pending[token] = question
  const Reply = (fields: dict<any>) => {
    if get(pending, token, {}) is question
      pending->remove(token)
      channel.Emit('answered', extendnew({token: token}, fields))
    elseif !empty(fields)
      message.Show('this question is no longer waiting for an answer', 'warn')
    endif
  }
  moment.WhenFree(() => {
    if get(pending, token, {}) is question
      Ask(Reply)
    endif
  }, (why) => {
    message.Show(why, 'error')
    Reply({})
  })
  return true
enddef

# Let the user choose an item. Emits `answered` {token, index?}; without `index` if it is dismissed.
export def Select(token: number, prompt: string, items: list<string>, is_whole = false): bool
  return Begin(token, (Reply) => {
    vim_ui.Select(prompt, items, (index) => Reply(index > 0 ? {index: index} : {}), is_whole)
  })
enddef

# The same for a question that the user does not expect. The items are shown whole.
export def SelectLater(token: number, prompt: string, items: list<string>): bool
  return Select(token, prompt, items, true)
enddef

# Let the user type a line. Emits `answered` {token, text?}; without `text` if it is dismissed.
export def Input(token: number, prompt: string, default: any): bool
  const given = type(default) == v:t_string ? default : ''
  return Begin(token, (Reply) => {
    # The guard would also discard the default, which Vim puts in like typed keys.
    moment.Guard(() => vim_ui.Input(prompt, given,
      (is_answered, text) => Reply(is_answered ? {text: [text]} : {})))
    vim_ui.Show(prompt, given)
  })
enddef

# Discard a question; one on the screen stays, and an answer to it is reported as too late.
export def Close(token: number): bool
  if pending->has_key(token)
    pending->remove(token)
  endif
  return true
enddef

# Discard all questions. Those on the screen stay: if they were closed, keys typed into them could
# reach another window.
export def CloseAll()
  pending = {}
enddef

defcompile
