vim9script
# Keeps private files (`privacy`) from the model: every tool's arguments and answers pass here.
#
# A tool that is called about such a file is refused. Entries about one are left out of an answer.

import autoload '../file/gate.vim' as path_gate
import autoload '../privacy.vim'
import autoload '../say/reason.vim'

# Keys under which tools are given a file, or name one.
const PATHS = ['file', 'path']
# All keys that say what a dictionary is about. The name of a window or a buffer may be a path.
const KEYS = PATHS + ['name', 'bufnr']
# Tools that answer what Vim has printed, by the key of the lines.
const PRINTED = {
  'tools.ex_output.show': 'lines',
  'tools.messages.recent': 'lines',
  'tools.make.run': 'output',
}
const CONCERNS_ONE = 'this concerns a file that the user keeps private'

# A function that says why a file is private; '' if it is not.
def Checker(): func(string): string
  return (given: string): string => {
    const path = reason.Attempt(path_gate.Absolute, [given])
    return path[0] ? privacy.Reason(path[1]) : ''
  }
enddef

# Why a value under a key is about a private file; '' if it is not.
def ReasonOf(key: string, value: any, Check: func(string): string): string
  if key ==# 'bufnr' && type(value) == v:t_number
    return value > 0 && bufexists(value) ? privacy.OfBuffer(value) : ''
  elseif type(value) != v:t_string || value ==# ''
    return ''
  endif
  return PATHS->index(key) >= 0 || (key ==# 'name' && value[0] ==# '/') ? Check(value) : ''
enddef

# The sentence about the first private file that is named anywhere in these arguments; '' without one.
def FindIn(given: any, Check: func(string): string): string
  for [key, value] in items(given)
    const why = ReasonOf(type(key) == v:t_string ? key : '', value, Check)
    if why !=# ''
      return type(value) == v:t_string ? privacy.Sentence(value, why)
        : $'this buffer stays in Vim: {why}'
    elseif type(value) == v:t_dict || type(value) == v:t_list
      const inside = FindIn(value, Check)
      if inside !=# ''
        return inside
      endif
    endif
  endfor
  return ''
enddef

# Why a tool must not run with these arguments; '' if it may.
export def Refusal(arguments: dict<any>): string
  return FindIn(arguments, Checker())
enddef

def IsAboutOne(given: any, Check: func(string): string): bool
  return type(given) == v:t_dict
    && KEYS->indexof((_, key) => ReasonOf(key, get(given, key, ''), Check) !=# '') >= 0
enddef

# An answer whose lists have no entries about private files, and the total number of the others.
def Pruned(answer: dict<any>): dict<any>
  const Check = Checker()
  if IsAboutOne(answer, Check)
    return {error: CONCERNS_ONE}
  endif
  final pruned = copy(answer)
  for [key, value] in items(answer)
    if type(value) == v:t_list && type(get(value, 0)) == v:t_dict
      pruned[key] = value->copy()->filter((_, entry) => !IsAboutOne(entry, Check))
      if has_key(answer, 'total')
        pruned.total = answer.total - len(value) + len(pruned[key])
      endif
    endif
  endfor
  return pruned
enddef

def WithoutNames(lines: list<string>): list<string>
  return lines->copy()->filter((_, line) => !privacy.IsNamed(line))
enddef


# A tool's answer without private files.
export def Cleaned(tool: string, answer: dict<any>): dict<any>
  if has_key(answer, 'error')
    return {error: privacy.IsNamed(answer.error) ? CONCERNS_ONE : answer.error}
  endif
  final cleaned = Pruned(answer)
  const key = get(PRINTED, tool, '')
  const printed = get(cleaned, key, 0)
  if type(printed) == v:t_list
    cleaned[key] = WithoutNames(printed)
  elseif type(printed) == v:t_string
    cleaned[key] = printed->split("\n", true)->WithoutNames()->join("\n")
  endif
  return cleaned
enddef

defcompile
