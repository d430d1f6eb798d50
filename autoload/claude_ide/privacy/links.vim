vim9script
# Follows the links on the way to a file.

import autoload './glob.vim'

const MOST = 40
const TIME_LIMIT = 500 # milliseconds

# An absolute path without `.`, `..`, doubled slashes and a slash at its end.
export def Normalized(path: string): string
  return path->simplify()->substitute('^//\+', '/', '')->substitute('.\zs/\+$', '', '')
enddef

def Output(job: job): string
  var output = ''
  try
    while ch_status(job, {part: 'out'}) =~# 'open\|buffered'
      const piece = ch_readraw(job, {timeout: TIME_LIMIT})
      if piece ==# ''
        break
      endif
      output ..= piece
    endwhile
  catch /E906:/
    # The program has ended since the channel was asked.
  endtry
  return output
enddef

# The target of a link, one step; '' if the path is not a link. Vim can only follow all steps at
# once, but a name in between may be that of a secret, so a program reads the link.
def TargetOf(path: string): string
  if getftype(path) !=# 'link'
    return ''
  endif
  const job = job_start(['readlink', '-n', path], {in_io: 'null', err_io: 'null', out_mode: 'raw'})
  const target = Output(job)
  return target ==# '' ? glob.Resolved(path) : target
enddef

# A path without the links in its folders; the file itself may be missing, or a link.
def WithRealFolder(path: string): string
  const folder = glob.Resolved(fnamemodify(path, ':h'))
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
      return found
    endif
    link = Normalized(target[0] ==# '/' ? target : fnamemodify(real, ':h') .. '/' .. target)
    found->add(link)
  endfor
  return found
enddef

defcompile
