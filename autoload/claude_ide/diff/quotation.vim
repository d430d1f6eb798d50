vim9script
# Lines of a file, named for an agent.

# Lines in words, given the first and the last one.
export def Lines(lines: list<number>): string
  const [first, last] = lines
  return first == last ? $'line {first}' : $'lines {first}-{last}'
enddef

defcompile
