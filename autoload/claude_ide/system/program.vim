vim9script
# Finds programs on PATH, but never in the current folder, and runs them in a neutral one.

# A folder in which only an administrator can put settings, as in all folders above it.
export const NEUTRAL = '/'

# As in `program.py`: where installers put a program without changing PATH.
const ELSEWHERE = {claude: ['~/.claude/local/claude', '~/.local/bin/claude']}

# Find a program by its name; returns an absolute path, empty if there is none. Relative and empty
# entries of PATH are skipped: they would let a project choose the program. A name with a slash is a
# path.
export def Find(name: string): string
  if name =~# '/'
    const path = fnamemodify(name, ':p')
    return executable(path) ? path : ''
  endif
  for folder in split($PATH, ':')
    const path = $'{folder}/{name}'
    if folder[0] ==# '/' && executable(path)
      return path
    endif
  endfor
  return ''
enddef

# Find the program of the option `cmd`.
export def FindCli(name: string): string
  for place in [name] + get(ELSEWHERE, name, [])
    const found = Find(place)
    if found !=# ''
      return found
    endif
  endfor
  return ''
enddef

# The output of a program, without the settings of the current folder; empty if it does not end
# within `patience` seconds.
export def Output(words: list<string>, patience: float): string
  var lines: list<string> = []
  var has_ended = false
  const started = job_start(words, {
    cwd: NEUTRAL,
    in_io: 'null',
    err_io: 'null',
    out_cb: (_, line) => {
      lines->add(line)
    },
    close_cb: (_) => {
      has_ended = true
    },
  })
  const began = reltime()
  # Vim handles what the program prints during `sleep`.
  while !has_ended && reltimefloat(reltime(began)) < patience
    sleep 10m
  endwhile
  if !has_ended
    job_stop(started, 'kill')
    return ''
  endif
  return lines->join("\n")
enddef

defcompile
