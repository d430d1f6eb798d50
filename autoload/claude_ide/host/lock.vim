vim9script
# Removes the lock files that announce servers to the CLI, if their hosts could not.

const LARGEST = 1000000 # bytes

# The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
export def ConfigFolder(): string
  const config = empty($CLAUDE_CONFIG_DIR) ? expand('~/.claude', true) : $CLAUDE_CONFIG_DIR
  return fnamemodify(config, ':p')->substitute('/$', '', '')
enddef

# The folder to which a host with Vim's environment writes its lock (`lock_file.py`).
export def Folder(): string
  return ConfigFolder() .. '/ide'
enddef

# The fields of a lock file, unchecked; empty if it is none. Opening a pipe would block Vim.
export def Read(path: string): dict<any>
  if getftype(path) !=# 'file' || getfsize(path) > LARGEST
    return {}
  endif
  try
    const lock = json_decode(readfile(path)->join("\n"))
    return type(lock) == v:t_dict ? lock : {}
  catch
    return {}
  endtry
enddef

# Remove the lock of a host of this Vim, and its unfinished files. `pid` is the host's.
export def Withdraw(folder: string, pid: number)
  for path in globpath(folder, '*.lock', true, true)
    const lock = Read(path)
    if get(lock, 'pid') == getpid() && get(lock, 'hostPid') == pid
      delete(path)
    endif
  endfor
  for path in globpath(folder, $'.*.lock.{pid}.new', true, true)
    delete(path)
  endfor
enddef

defcompile
