vim9script
# The log file of the host, of `:ClaudeInstall` and of messages. At a million bytes it is renamed,
# and a new one begins; one old file is kept.

const LARGEST = 1000000 # bytes of the file
const LONGEST = 16000 # bytes of a message

# The path of the log.
export def Path(): string
  return claude_ide#editor#Folder('state') .. '/claude_ide.log'
enddef

# Append lines to the log. One that cannot be written is ignored.
export def Append(lines: list<string>)
  const path = Path()
  try
    mkdir(fnamemodify(path, ':h'), 'p', 0o700)
    # Links are not followed; opening a pipe would block Vim until it has a reader.
    if index(['', 'file'], getftype(path)) < 0
      return
    endif
    if getfsize(path) + reduce(lines, (sum, line) => sum + len(line) + 1, 0) > LARGEST
      rename(path, fnamemodify(path, ':r') .. '.1.log')
    endif
    if getftype(path) ==# ''
      # Nobody else may read it, not even for an instant.
      writefile([], path)
      setfperm(path, 'rw-------')
    endif
    writefile(lines, path, 'a')
  catch
    # There is nowhere to report it.
  endtry
enddef

# Append an entry in the host's format.
export def Write(level: string, text: string)
  const name = level ==# 'warn' ? 'WARNING' : toupper(level)
  const time = strftime('%Y-%m-%d %H:%M:%S') .. ',000'
  Append([$'{time} {getpid()} {name} message: {strpart(text, 0, LONGEST)}'])
enddef

defcompile
