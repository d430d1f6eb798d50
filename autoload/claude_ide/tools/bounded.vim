vim9script
# Bounds lines for the host, which shows the model less of each (`mcp/model/pages.py`).

const LONGEST = 2400 # bytes; more than 500 characters

# A line, cut if it is too long. A NUL, which JSON cannot take to the host, becomes a visible one.
export def Line(line: string): string
  return strpart(line, 0, LONGEST)->substitute("\n", '^@', 'g')
enddef

# Some lines of a list, each of them bounded.
export def Lines(lines: list<string>): list<string>
  return lines->mapnew((_, line) => Line(line))
enddef

defcompile
