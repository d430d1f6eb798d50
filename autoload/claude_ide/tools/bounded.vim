vim9script
# Bounds lines for the host, which shows the model less of each (`mcp/model/pages.py`).

const LONGEST = 2400 # bytes; more than 500 characters

# A line in which a NUL, which JSON cannot take to the host, is a visible one.
export def Visible(line: string): string
  return substitute(line, "\n", '^@', 'g')
enddef

# A line, cut if it is too long.
export def Line(line: string): string
  return Visible(strpart(line, 0, LONGEST))
enddef

# Some lines of a list, each of them bounded.
export def Lines(lines: list<string>): list<string>
  return lines->mapnew((_, line) => Line(line))
enddef

defcompile
