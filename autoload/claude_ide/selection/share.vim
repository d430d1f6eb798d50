vim9script
# `:ClaudeShare`: whether the selection may leave Vim.

import autoload '../messages/announce.vim'
import autoload '../messages/message.vim'
import autoload '../selection.vim'

const WORDS = ['off', 'on', 'toggle']

# Complete the word.
export def Complete(lead: string, _: string, _: number): list<string>
  return WORDS->copy()->filter((_, word) => stridx(word, lead) == 0)
enddef

# Carry out `:ClaudeShare [off|on|toggle]`; without a word, show the state.
export def Run(word: string)
  if word !=# '' && index(WORDS, word) < 0
    message.Show($'not off, on or toggle: {word}', 'error')
    return
  elseif word !=# ''
    const was_shared = selection.IsShared()
    const is_shared = word ==# 'on' || (word ==# 'toggle' && !was_shared)
    selection.Share(is_shared)
    if is_shared != was_shared
      announce.Event('ClaudeShared', {shared: is_shared})
    endif
  endif
  const state = selection.IsShared() ? 'is shared' : 'stays in Vim'
  message.Show($'the selection {state}', 'info')
enddef

defcompile
