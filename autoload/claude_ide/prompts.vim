vim9script
# The prompts of the option `prompts`, which the user chooses by their names: `/explain`.

import autoload './diagnostics/words.vim' as words_of
import autoload './ui/vim_ui.vim'
import autoload './diff/quotation.vim'
import autoload './own_options.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'

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

def Mention(bufnr: number): string
  const path = quotation.Path(bufnr)
  return path =~# '\s' ? $'@"{path}"' : '@' .. path
enddef

def Fill(name: string, bufnr: number, lines: list<number>): string
  if name ==# 'diagnostics'
    return words_of.List(words_of.OfLines(bufnr, lines))->join("\n") ?? 'no diagnostics'
  elseif name ==# 'file' || empty(lines)
    return Mention(bufnr)
  endif
  # The lines are sent with the prompt.
  return $'{quotation.Path(bufnr)}, {quotation.Lines(lines)}'
enddef

# Braces around other words belong to the text. Throws if the buffer must not be named.
def Filled(text: string, bufnr: number, lines: list<number>): string
  const placeholder = '{\(file\|selection\|diagnostics\)}'
  const refusal = text =~# placeholder ? quotation.Refusal(bufnr) : ''
  if refusal !=# ''
    throw 'claude-ide: ' .. refusal
  endif
  return substitute(text, placeholder, (found) => Fill(found[1], bufnr, lines), 'g')
enddef

# A text in which placeholders mean the buffer, or lines of it; empty if the buffer must not be named, which a
# message says.
export def FillIn(text: string, lines: list<number>): string
  const outcome = reason.Attempt(Filled, [text, bufnr(), lines])
  if !outcome[0]
    message.Show(outcome[1], 'warn')
  endif
  return outcome[0] ? outcome[1] : ''
enddef

# The text of a named prompt about a buffer, or about lines of it that are sent with the prompt. If
# the name is empty, the user chooses.
#
# Calls `Use` unless the user chooses none, or the buffer must not be named, which a message says.
export def Choose(name: string, lines: list<number>, Use: func(string))
  const bufnr = bufnr()
  const texts = All()
  const names = keys(texts)->sort()
  def Take(chosen: string)
    if bufloaded(bufnr)
      const outcome = reason.Attempt(Filled, [texts[chosen], bufnr, lines])
      if outcome[0]
        Use(outcome[1])
      else
        message.Show(outcome[1], 'warn')
      endif
    endif
  enddef
  if name !=# ''
    Take(name)
  elseif empty(names)
    message.Show('there are no prompts (:help claude-ide-prompts)', 'warn')
  else
    vim_ui.Select('Prompt', names, (index) => {
      if index > 0
        Take(names[index - 1])
      endif
    })
  endif
enddef

# Whether the words are `/` alone or the name of a prompt, as `/name`.
export def AreName(words: string): bool
  const name = trim(words)
  return name ==# '/' || (name[0] ==# '/' && has_key(All(), strpart(name, 1)))
enddef

# Complete `/name` as the first word of a command.
export def Complete(lead: string, line: string, pos: number): list<string>
  if strpart(line, 0, pos) !~# 'Claude\a\+\s\+\S*$'
    return []
  endif
  return keys(All())->sort()->map((_, name) => '/' .. name)
    ->filter((_, word) => stridx(word, lead) == 0)
enddef

defcompile
