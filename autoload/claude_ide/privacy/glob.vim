vim9script
# Turns globs, as in `.gitignore`, into regular expressions of absolute paths. Case never counts: on
# some file systems `.ENV` is `.env`.

import autoload '../file/path.vim' as file

# Each is part of a very nomagic regular expression. A name may contain a line break.
const WITHIN_NAME = '\_[^/]'
const ANY_FOLDERS = '\%(\_.\*/\)\?'
# The engine whose time grows with the length of the path only; 'regexpengine' may choose the other
# one.
const INTRO = '\%#=2\V\c'

# A set of characters, such as `[!a-z]`. One that never ends is none.
const SET = '^\[\([!^]\=\)\(\_.\_[^]]*\)\]'
const BRACES = '^{\(\_[^{}]*,\_[^{}]*\)}'

def Literal(text: string): string
  return escape(text, '\')
enddef

def Range(first: string, last: string): string
  return first <# last ? $'{first}-{last}' : first ==# last ? first : ''
enddef

# The members of a set without the slash. A lookahead would exclude it, too, but takes a thousand
# times as long.
def WithoutSlash(members: string): string
  const plain = members
    ->substitute('\(\_.\)-\(\_.\)', (found) => found[1] <=# '/' && found[2] >=# '/'
      # After the slash comes the zero.
      ? Range(found[1], '.') .. Range('0', found[2]) : found[0], 'g')
    ->substitute('/', '', 'g')
  return plain ==# '' ? members : plain
enddef

# The regular expression of the item that begins at a byte, and the item's length in the glob.
def ItemAt(glob: string, index: number): list<any>
  const rest = strpart(glob, index)
  const stars = len(matchstr(rest, '^\*\+'))
  if rest =~# '^\*\*/' && (index == 0 || strpart(glob, index - 1, 1) ==# '/')
    return [ANY_FOLDERS, 3]
  elseif stars > 0
    return [stars > 1 ? '\_.\*' : WITHIN_NAME .. '\*', stars]
  elseif rest[0] ==# '?'
    return [WITHIN_NAME, 1]
  elseif rest =~# SET
    const found = matchlist(rest, SET)
    const negation = found[1] ==# '' ? '' : '^'
    const members = negation ==# '' ? WithoutSlash(found[2]) : found[2] .. '/'
    return [$'\_[{negation}{escape(members, ']\^')}]', len(found[0])]
  elseif rest =~# BRACES
    const found = matchlist(rest, BRACES)
    const parts = split(found[1], ',', true)->map((_, part) => Translate(part))
    return [$'\%({join(parts, '\|')}\)', len(found[0])]
  elseif rest =~# '^\\\_.'
    const escaped = matchstr(rest, '^\\\zs\_.')
    return [Literal(escaped), 1 + len(escaped)]
  endif
  const plain = matchstr(rest, '^\_.\_[^][*?{\\]*')
  return [Literal(plain), len(plain)]
enddef

def Translate(glob: string): string
  var regex = ''
  var index = 0
  while index < len(glob)
    const [item, length] = ItemAt(glob, index)
    regex ..= item
    index += length
  endwhile
  return regex
enddef

# A folder's path as the beginning of another path; '' and '/' are the root.
def Beginning(folder: string): string
  return Literal(substitute(folder, '/\+$', '', '')) .. '/'
enddef

# The regular expression of the paths that a glob matches in a folder: those of files, and of
# folders with all that is in them. A glob without a slash, except at its end, matches at any depth.
export def Regex(given: string, within: string): string
  var glob = given
  var folder = within
  while stridx(glob, '../') == 0
    glob = strpart(glob, 3)
    folder = fnamemodify(folder, ':h')
  endwhile
  const trimmed = glob->substitute('^\./', '', '')->substitute('/\+$', '', '')
  # A glob that names a folder includes its contents.
  var plain = trimmed->substitute('/\*\*$', '', '')->substitute('^/\+', '', '')
  if index(['', '*', '**'], plain) >= 0
    return '\^' .. Beginning(folder)
  endif
  var is_deep = stridx(trimmed, '/') < 0
  if stridx(plain, '**/') == 0
    plain = substitute(plain, '^[*/]\+/', '', '')
    is_deep = true
  endif
  const body = Translate(plain) .. '\%(/\|\$\)'
  if is_deep && folder =~# '^/*$'
    # Without a beginning, which would have to be tried at each slash.
    return '/' .. body
  endif
  return '\^' .. Beginning(folder) .. (is_deep ? ANY_FOLDERS : '') .. body
enddef

# For both spellings of each folder: a path may be given with its links or without them.
def RegexesIn(folders: list<string>, pattern: string): list<string>
  var found: list<string> = []
  for folder in folders
    const real = file.Resolved(folder)
    found->add(Regex(pattern, folder))
    if real !=# folder
      found->add(Regex(pattern, real))
    endif
  endfor
  return found
enddef

# The regular expressions of a pattern in the syntax of the CLI's rules: `//` begins an absolute
# path, and `~/` one in the home directory. `places` has `rooted`, the folders of a pattern that
# begins with `/`; `relative`, those of any other; and `is_everywhere`, whether a pattern for any
# depth holds in every folder.
export def Regexes(pattern: string, places: dict<any>): list<string>
  if stridx(pattern, '//') == 0
    return [Regex(strpart(pattern, 1), '/')]
  elseif stridx(pattern, '~/') == 0
    return RegexesIn([$HOME], strpart(pattern, 2))
  elseif stridx(pattern, '/') == 0
    return RegexesIn(places.rooted, pattern)
  endif
  const plain = pattern->substitute('^\./', '', '')->substitute('/\+$', '', '')
  const is_deep = stridx(plain, '**/') == 0 || stridx(plain, '/') < 0
  return RegexesIn(is_deep && places.is_everywhere ? ['/'] : places.relative, pattern)
enddef

# One pattern for several regular expressions, for `=~#`; empty for none. Throws if one of them is
# invalid.
export def Joined(regexes: list<string>): string
  if empty(regexes)
    return ''
  endif
  const pattern = INTRO .. join(regexes, '\|')
  match('', pattern)
  return pattern
enddef

# Whether a path matches what `Joined` returned.
export def Matches(path: string, pattern: string): bool
  return pattern !=# '' && path =~# pattern
enddef

defcompile
