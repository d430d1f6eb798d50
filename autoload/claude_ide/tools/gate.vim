vim9script
# Keeps private files (`privacy`) from the model: every tool's arguments and answers pass here.
#
# A tool that is called about such a file is refused. Entries and lines about one are left out.

import autoload '../privacy.vim'

const CONCERNS_ONE = 'this concerns a file that the user keeps private'

# Why an entry or the arguments of a tool are about a private file; '' if they are not.
def ReasonOf(given: dict<any>): string
  const bufnr = get(given, 'bufnr', 0)
  if type(bufnr) == v:t_number && bufnr > 0 && bufexists(bufnr)
    const why = privacy.Why(bufnr)
    if why !=# ''
      return why
    endif
  endif
  for key in ['file', 'path', 'name']
    const path = get(given, key, '')
    if type(path) == v:t_string && path =~# '^/'
      const why = privacy.Why(path)
      if why !=# ''
        return why
      endif
    endif
  endfor
  return ''
enddef

# Why a tool must not run with these arguments; '' if it may.
export def Refusal(arguments: dict<any>): string
  return ReasonOf(arguments)
enddef

def IsShared(item: any): bool
  return type(item) == v:t_dict ? ReasonOf(item) ==# ''
    : type(item) != v:t_string || !privacy.IsNamed(item)
enddef

# A tool's answer without private files.
export def Cleaned(tool: string, answer: dict<any>): dict<any>
  final cleaned = copy(answer)
  for [key, value] in items(answer)
    # The lines of a buffer are its text: whether it is private was asked before.
    if type(value) == v:t_list && tool !=# 'tools.buffers.lines'
      cleaned[key] = copy(value)->filter((_, item) => IsShared(item))
      if has_key(answer, 'total')
        cleaned.total = answer.total - len(value) + len(cleaned[key])
      endif
    endif
  endfor
  return cleaned
enddef

# The reason for an error, unless it names a private file.
export def CleanedReason(why: string): string
  return privacy.IsNamed(why) ? CONCERNS_ONE : why
enddef

defcompile
