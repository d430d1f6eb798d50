vim9script
# Follows the links on the way to a file.

import autoload '../file/path.vim' as file
import autoload '../system/program.vim'

const MOST = 40
const TIME_LIMIT = 0.5 # seconds

# An absolute path without `.`, `..`, doubled slashes and a slash at its end.
export def Normalized(path: string): string
  return path->simplify()->substitute('^//\+', '/', '')->substitute('.\zs/\+$', '', '')
enddef

const MOST_KNOWN = 1000
var known: dict<list<string>> = {} # by path: where a link leads in the end, and in one step

# The target of a link, one step; '' if the path is not a link. Vim can only follow all steps at
# once, but a name in between may be that of a secret, so a program reads the link. It runs again
# only if the link leads elsewhere: this is asked whenever the user enters a buffer.
def TargetOf(path: string): string
  if getftype(path) !=# 'link'
    return ''
  endif
  const end = file.Resolved(path)
  const [known_end, known_target] = get(known, path, ['', ''])
  if known_end ==# end && known_target !=# ''
    return known_target
  endif
  const done = program.Run([program.Find('readlink'), '-n', path], TIME_LIMIT)
  const target: string = done.code == 0 ? done.output : ''
  if target ==# ''
    return end
  endif
  if len(known) >= MOST_KNOWN
    known = {}
  endif
  known[path] = [end, target]
  return target
enddef

# A path without the links in its folders; the file itself may be missing, or a link.
def WithRealFolder(path: string): string
  const folder = file.Resolved(fnamemodify(path, ':h'))
  return substitute(folder, '/$', '', '') .. '/' .. fnamemodify(path, ':t')
enddef

# A normalized path, and every path to which its links lead.
export def Spellings(path: string): list<string>
  var found = [path]
  var link = path
  for _ in range(MOST)
    const real = WithRealFolder(link)
    if real !=# link
      found->add(real)
    endif
    const target = TargetOf(real)
    if target ==# '' || target ==# real
      # A `..` after a link in a target leads elsewhere than it reads.
      return link ==# path ? found : found->add(file.Resolved(path))
    endif
    link = Normalized(target[0] ==# '/' ? target : fnamemodify(real, ':h') .. '/' .. target)
    found->add(link)
  endfor
  return found
enddef

defcompile
