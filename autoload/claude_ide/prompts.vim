vim9script
# The prompts of the option `prompts`, which the user chooses by their names: `/explain`.

import autoload './contexts.vim'
import autoload './ui/vim_ui.vim'
import autoload './own_options.vim'
import autoload './messages/message.vim'

const BUILT_IN: dict<any> = {
  explain: "Explain this:\n{selection}",
  tests: "Write tests for this:\n{selection}",
}

# The texts by name.
def All(): dict<any>
  const own = own_options.Get('prompts')
  return extendnew(BUILT_IN, type(own) == v:t_dict ? own : {})
    ->filter((_, text) => type(text) == v:t_string)
enddef

# The text of a named prompt, with its placeholders. If the name is empty, the user chooses.
#
# Calls `Use` unless the user chooses none.
export def Choose(name: string, Use: func(string))
  const texts = All()
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
  return name ==# '/' || (name[0] ==# '/' && has_key(All(), strpart(name, 1)))
enddef

# Complete `/name` as the first word of a command, and placeholders in any.
export def Complete(lead: string, line: string, pos: number): list<string>
  if lead[0] ==# '@'
    return claude_ide#arguments#OfAgents(lead, line, pos)
  endif
  if strpart(line, 0, pos) !~# 'Claude\a\+!\?\s\+/\S*$'
    return contexts.Complete(lead)
  endif
  return claude_ide#arguments#Beginning(keys(All())->sort(), lead, '/')
enddef

defcompile
