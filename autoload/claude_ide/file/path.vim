vim9script
scriptencoding utf-8
# Paths of files: those that buffers hold, where they lead, and which ones from outside are valid:
# those that pass are absolute, normalized, and name a regular file or a file that does not exist yet.

import autoload '../messages/reason.vim'

# Of plugins that read or write a file in place of Vim (zip.vim), or filter what Vim reads (gzip.vim).
const READING = ['BufReadCmd', 'FileReadCmd', 'FileReadPost', 'BufWriteCmd', 'FileWriteCmd']
const LONGEST = 4096 # bytes of a path: PATH_MAX of Linux
const SHOWN = 200
const LARGEST = 50000000 # bytes of a file
const NUL = "\ufdd0" # what the host sends in place of a NUL
const KINDS = {bdev: 'device', cdev: 'device', dir: 'folder', fifo: 'pipe'}

# Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet.
# Other buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
export def IsHeld(name: string, buftype: string, filetype: string): bool
  return buftype ==# ''
    && name !=# ''
    && (stridx(name, '://') < 0 || name !~# '^\a[[:alnum:]_+.-]*://')
    && filetype !=# 'netrw'
    && !isdirectory(name)
enddef

# By buffer: its full `name` and number of `lines`, and what they were found for.
final infos: dict<dict<any>> = {}

# The full name of a buffer and its number of lines, 0 unless it is loaded: {name, lines}. Only
# getbufinfo() knows them, which lists every sign of the buffer, too, so that they are kept.
export def Info(bufnr: number): dict<any>
  # The short name means another file in another folder.
  const name = fnamemodify(bufname(bufnr), ':p')
  const state = [name, bufloaded(bufnr), getbufvar(bufnr, 'changedtick', 0)]
  if get(infos, bufnr, {})->get('state', []) != state
    const found = getbufinfo(bufnr)->get(0, {name: '', linecount: 0})
    infos[bufnr] = {name: found.name, lines: bufloaded(bufnr) ? found.linecount : 0, state: state}
  endif
  return infos[bufnr]
enddef

# The full name of a buffer; empty if it has none, or if there is no such buffer.
export def Name(bufnr: number): string
  return Info(bufnr).name
enddef

# The numbers of all loaded buffers.
export def Loaded(): list<number>
  return range(1, bufnr('$'))->filter((_, bufnr) => bufloaded(bufnr))
enddef

# The absolute path of the file that a buffer holds; empty for a buffer of another kind.
export def Path(bufnr: number): string
  const name = Name(bufnr)
  const is_held = IsHeld(name, getbufvar(bufnr, '&buftype'), getbufvar(bufnr, '&filetype'))
  return is_held ? name : ''
enddef

# The same; empty for a buffer that is not loaded, too.
export def LoadedPath(bufnr: number): string
  return bufloaded(bufnr) ? Path(bufnr) : ''
enddef

# The numbers of all loaded buffers that hold files.
export def LoadedFiles(): list<number>
  return Loaded()->filter((_, bufnr) => Path(bufnr) !=# '')
enddef

# A path without links, also if its file does not exist; unchanged if its links lead in a circle.
export def Resolved(path: string): string
  try
    return resolve(path)
  catch /E655:/
  endtry
  return path
enddef

# Whether the pattern of an autocommand is for a path, as Vim decides it.
export def IsMatch(pattern: string, path: string): bool
  const name = pattern =~# '/' ? path : fnamemodify(path, ':t')
  return name =~# glob2regpat(pattern)
enddef

# The URI of an absolute path. Bytewise: a composing character would be a part of the character before it.
# The digits are lower-case, as in `vim.uri_from_fname()` of Neovim.
export def Uri(path: string): string
  return 'file://' .. range(len(path))->mapnew((_, at) => {
    const byte = strpart(path, at, 1)
    return byte =~# '[A-Za-z0-9/._~!$&''()*+,;=:@-]' ? byte : printf('%%%02x', char2nr(byte))
  })->join('')
enddef

# `{path}: {reason}`, in one line.
def Refusal(path: string, why: string): string
  const shown = len(path) <= SHOWN ? path : strpart(path, 0, SHOWN) .. '…'
  return $'{strtrans(shown)}: {why}'
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
  # `~x` is a file here, and not the home folder of a user.
  const rooted = path =~# '^\~\%(/\|$\)' ? expand('~', true) .. strpart(path, 1)
    : path[0] ==# '/' ? path : getcwd() .. '/' .. path
  return simplify(rooted)->substitute('/\+', '/', 'g')->substitute('.\zs/$', '', '')
enddef

# The type of what a path leads to: "file", "dir", …; empty if there is nothing.
export def TypeOf(path: string): string
  const type = getftype(path)
  return type ==# 'link' ? getftype(Resolved(path)) : type
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

# Why no file of a type can be used at a path; empty if one can.
def Reason(path: string, type: string): string
  if type ==# ''
    return Obstacle(path)
  elseif type ==# 'link'
    return 'too many symbolic links encountered'
  elseif type !=# 'file'
    # Reading a pipe or a device might never end.
    return 'not a file but a ' .. get(KINDS, type, type)
  elseif !filereadable(path)
    return 'permission denied'
  endif
  return getfsize(path) <= LARGEST ? '' : $'has {getfsize(path)} bytes, more than {LARGEST}'
enddef

def Patterns(event: string): list<string>
  return autocmd_get({event: event})
    ->filter((_, autocmd) => !has_key(autocmd, 'bufnr'))
    ->mapnew((_, autocmd) => autocmd.pattern)
enddef

# The autocommand pattern for which a plugin makes the text of this file, such as `*.zip` or `*.gz`: its
# bytes are not what a buffer of it shows. Empty if there is none. An autocommand for all files, such as
# one that opens folds, is no filter.
export def Reader(path: string): string
  return READING->mapnew((_, event) => Patterns(event))->flattennew()
    ->filter((_, pattern) => pattern =~# '[^*]' && IsMatch(pattern, path))->get(0, '')
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

# Check a path that must name a regular file, or a file that does not exist yet unless it `exists`. If it
# `is_text`, it is to be loaded as text. Returns the absolute `path`, or a `refusal` (`{path}: {reason}`).
export def Check(path: any, exists = false, is_text = false): dict<string>
  const [is_made, absolute] = reason.Attempt(Absolute, [path])
  if !is_made
    return {refusal: absolute}
  endif
  const type = TypeOf(absolute)
  const why = Reason(absolute, type) ?? Split(absolute)
    ?? (type !=# '' ? is_text ? NeedsPlugin(absolute) : '' : exists ? 'no such file' : '')
  return why ==# '' ? {path: absolute} : {refusal: Refusal(absolute, why)}
enddef

defcompile
