vim9script
# Extracts the reason from an error, and calls functions whose errors must not reach the screen.

# The prefixes of an error: where it was raised, and its number.
const PREFIXES = '^\%(Vim\%((\w\+)\)\?:\|function \S\+, line \d\+: \|E\d\+[a-z]\?: \|claude-ide: \)\+'

# The first line of an error, without its prefixes.
export def Of(raised: string): string
  return raised->split("\n")->get(0, '')->substitute(PREFIXES, '', '')
enddef

# Call a function; return its result in a list. It is null for a function that returns nothing: what
# `call()` returns then is an error wherever it is used.
#
# `call()` matters: some errors that a function raises pass the `:try` around its direct call.
def ResultOf(Fn: any, arguments: list<any>): list<any>
  const held = [call(Fn, arguments)]
  try
    return held->mapnew((_, value) => value)
  catch /^Vim\%((\a\+)\)\?:E1031:/
    return [v:null]
  endtry
  return []
enddef

# Call a function; return [true, its result] or [false, the reason].
export def Attempt(Fn: func, arguments: list<any> = []): list<any>
  try
    return [true] + ResultOf(Fn, arguments)
  catch
    return [false, Of(v:exception)]
  endtry
enddef

# Call a function that returns nothing; return the reason if it fails, or an empty string.
export def Try(Fn: func, arguments: list<any> = []): string
  try
    call(Fn, arguments)
  catch
    return Of(v:exception)
  endtry
  return ''
enddef

# "file.open.open_file" is `claude_ide#file#open#OpenFile`. A name without a dot is that of a function.
def FunctionOf(name: string): string
  if stridx(name, '.') < 0
    return name
  endif
  const words = split(name, '\.')
  const camel = words[-1]->split('_')->map((_, word) => toupper(word[0]) .. word[1 :])->join('')
  return $'claude_ide#{words[: -2]->join("#")}#{camel}'
enddef

# Call `module.function` for the host, as `Attempt` does. An error that matches `passing` is thrown.
export def AttemptByName(name: string, arguments: list<any>, passing = ''): list<any>
  const function_name = FunctionOf(name)
  try
    return [true] + ResultOf(function_name, arguments)
  catch /^Vim\%((\a\+)\)\?:E117:/
    const is_missing = v:exception =~# '\V' .. function_name .. '\$'
    return [false, is_missing ? $'Vim cannot do this, only Neovim ({name})' : Of(v:exception)]
  catch
    if passing !=# '' && v:exception =~# passing
      # Nobody may throw an exception that begins as one of Vim's.
      throw $'claude-ide: {v:exception}'
    endif
    return [false, Of(v:exception)]
  endtry
enddef

defcompile
