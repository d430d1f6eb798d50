vim9script
scriptencoding utf-8
# Checks paths from outside: those that pass are absolute, normalized, and name a regular file or a
# file that does not exist yet.

import autoload './path.vim' as file
import autoload '../messages/reason.vim'

# Of plugins that read or write a file in place of Vim (zip.vim), or filter what Vim reads (gzip.vim).
const READING = ['BufReadCmd', 'FileReadCmd', 'FileReadPost', 'BufWriteCmd', 'FileWriteCmd']
const FRESH_SECONDS = 0.1
const MOST_READERS = 1000
const LONGEST = 4096 # bytes of a path: PATH_MAX of Linux
const SHOWN = 200
const LARGEST = 50000000 # bytes of a file
const NUL = "\ufdd0" # what the host sends in place of a NUL
const KINDS = {bdev: 'device', cdev: 'device', dir: 'folder', fifo: 'pipe', socket: 'socket'}

var read_at: list<number> # when the autocommands were looked at
var reading: list<string> # their patterns
var readers: dict<string> # by path, what `Reader` returns

# `{path}: {reason}`, in one line.
def Refusal(path: string, why: string): string
  const shown = len(path) <= SHOWN ? path : strpart(path, 0, SHOWN) .. '…'
  return $'{strtrans(shown)}: {why}'
enddef

# `~x` is a file here, and not the home folder of a user.
def Rooted(path: string): string
  if path ==# '~' || path =~# '^\~/'
    return expand('~', true) .. strpart(path, 1)
  endif
  return path[0] ==# '/' ? path : getcwd() .. '/' .. path
enddef

# Make a path absolute, without `.`, `..` and doubled slashes: Vim would read `x://y` as a URL.
# Throws an error that names the path if no file can have it.
export def Absolute(path: any): string
  if type(path) != v:t_string || path ==# ''
    throw 'claude-ide: the path is empty'
  elseif stridx(path, NUL) >= 0
    const before = strpart(path, 0, stridx(path, NUL))
    throw 'claude-ide: ' .. Refusal(before .. '…', 'contains a NUL')
  elseif len(path) > LONGEST
    throw 'claude-ide: ' .. Refusal(path, 'the path is too long')
  endif
  return simplify(Rooted(path))->substitute('/\+', '/', 'g')->substitute('.\zs/$', '', '')
enddef

# The type of what a path leads to: "file", "dir", …; empty if there is nothing.
export def TypeOf(path: string): string
  const type = getftype(path)
  return type ==# 'link' ? getftype(file.Resolved(path)) : type
enddef

# Why a path without a file cannot get one: one of its folders is not a folder.
def Obstacle(path: string): string
  const folder = fnamemodify(path, ':h')
  const type = TypeOf(folder)
  if folder ==# path || type ==# 'dir'
    return ''
  endif
  return type ==# '' ? Obstacle(folder) : $'{folder} is not a folder'
enddef

def WithCommas(number: number): string
  return string(number)->substitute('\d\zs\ze\(\d\{3}\)\+$', ',', 'g')
enddef

def Reason(path: string): string
  const type = TypeOf(path)
  if type ==# ''
    return Obstacle(path)
  elseif type ==# 'link'
    return 'too many symbolic links encountered'
  elseif type !=# 'file'
    # Reading a pipe or a device might never end.
    return 'not a file but a ' .. get(KINDS, type, type)
  elseif !filereadable(path)
    return 'permission denied'
  elseif getfsize(path) > LARGEST
    return $'has {WithCommas(getfsize(path))} bytes, more than {WithCommas(LARGEST)}'
  endif
  return ''
enddef

def Patterns(event: string): list<string>
  return autocmd_get({event: event})
    ->filter((_, autocmd) => !has_key(autocmd, 'bufnr'))
    ->mapnew((_, autocmd) => autocmd.pattern)
enddef

# All loaded buffers may be asked about in one go, and a match takes a few milliseconds.
def RefreshReaders(may_be_stale: bool)
  if may_be_stale && !empty(read_at) && reltimefloat(reltime(read_at)) < FRESH_SECONDS
    return
  endif
  read_at = reltime()
  const now = READING->mapnew((_, event) => Patterns(event))->flattennew()
    ->filter((_, pattern) => pattern =~# '[^*]')
  if now !=# reading || len(readers) > MOST_READERS
    reading = now
    readers = {}
  endif
enddef

# The autocommand pattern for which a plugin makes the text of this file, such as `*.zip` or `*.gz`: its
# bytes are not what a buffer of it shows. Empty if there is none. An autocommand for all files, such as
# one that opens folds, is no filter. The answer `may_be_stale`, by a tenth of a second.
export def Reader(path: string, may_be_stale = false): string
  RefreshReaders(may_be_stale)
  if !has_key(readers, path)
    readers[path] = reading->copy()->filter((_, pattern) => file.IsMatch(pattern, path))->get(0, '')
  endif
  return readers[path]
enddef

# Why only a plugin can read a file; empty if Vim can.
export def NeedsPlugin(path: string): string
  const pattern = Reader(path)
  return pattern ==# '' ? '' : $'a plugin handles such files itself ({pattern})'
enddef

# A plugin may read the parts of a name as other files than the one that was checked: tar.vim does
# so with `tarfile::a::b`.
def Split(path: string): string
  const splitter = Patterns('BufReadCmd')->filter((_, pattern) => {
    const scheme = matchstr(pattern, '^\a[[:alnum:]+.-]*:\+\ze[^/:]')
    return scheme !=# '' && stridx(path, '/' .. scheme) >= 0
  })->get(0, '')
  return splitter ==# '' ? '' : $'a plugin handles such names itself ({splitter})'
enddef

# Check a path that must name a regular file, or a file that does not exist yet. Returns the
# absolute `path`, or a `refusal` (`{path}: {reason}`).
export def Check(path: any): dict<string>
  const made = reason.Attempt(Absolute, [path])
  if !made[0]
    return {refusal: made[1]}
  endif
  const why = Reason(made[1]) ?? Split(made[1])
  return why ==# '' ? {path: made[1]} : {refusal: Refusal(made[1], why)}
enddef

# Check a file that is to be loaded as text. Returns the same.
export def TextFile(path: any): dict<string>
  const checked = Existing(path)
  const obstacle = has_key(checked, 'path') ? NeedsPlugin(checked.path) : ''
  return obstacle ==# '' ? checked : {refusal: Refusal(checked.path, obstacle)}
enddef

# Check a path that must name a regular file. Returns the same.
export def Existing(path: any): dict<string>
  const checked = Check(path)
  if has_key(checked, 'path') && TypeOf(checked.path) ==# ''
    return {refusal: Refusal(checked.path, 'no such file')}
  endif
  return checked
enddef

defcompile
