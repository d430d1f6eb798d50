vim9script
# The prompts of the option `prompts`, which the user chooses by their names: `/explain`.

import autoload './ui/vim_ui.vim'
import autoload './messages/message.vim'

# The text of a named prompt, with its placeholders. If the name is empty, the user chooses.
#
# Calls `Use` unless the user chooses none.
export def Choose(name: string, Use: func(string))
  const texts = claude_ide#arguments#Prompts()
  const names = keys(texts)->sort()
  if name !=# ''
    Use(texts[name])
  elseif empty(names)
    message.Show('there are no prompts (:help claude-ide-prompts)', 'warn')
  else
    vim_ui.Select('Prompt', names, (index) => {
      if index > 0
        Use(texts[names[index - 1]])
      endif
    })
  endif
enddef

# Whether the words are `/` alone or the name of a prompt, as `/name`.
export def AreName(words: string): bool
  const name = trim(words)
  return name ==# '/' || (name[0] ==# '/' && has_key(claude_ide#arguments#Prompts(), strpart(name, 1)))
enddef

defcompile
