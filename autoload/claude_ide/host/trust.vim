vim9script
# Remembers which folders the user has declined to trust, so that this Vim does not ask again even
# if the host is restarted. Completes `:ClaudeTrust`.

import autoload '../file/path.vim' as file

const WORDS = ['list', 'revoke', 'yes']

var declined: dict<bool> = {}

# Called by the host: remember that the user has declined to trust a folder.
export def Decline(folder: string): bool
  declined[file.Resolved(folder)] = true
  return true
enddef

# Called by the host: whether the user has declined to trust a folder.
export def IsDeclined(folder: string): bool
  return get(declined, file.Resolved(folder), false)
enddef

# Complete the arguments of `:ClaudeTrust`.
export def Complete(lead: string, line: string, pos: number): list<string>
  const words = strpart(line, 0, pos)->split('\s\+', true)
  if len(words) > 2
    return words[1] ==# 'list' ? [] : getcompletion(lead, 'dir')
  endif
  return WORDS->copy()->filter((_, word) => stridx(word, lead) == 0)
enddef

defcompile
