vim9script
# What a job has printed and Vim has not read yet: Vim may notice the exit of a job before its last lines.

const MOST_EMPTY = 100 # empty lines in a row; Vim does not tell them from the end

# Return these lines of a channel's `part`, which is "out" or "err", without empty ones.
export def Lines(handle: channel, part: string): list<string>
  var lines: list<string> = []
  var empties = 0
  while empties < MOST_EMPTY && index(['open', 'buffered'], ch_status(handle, {part: part})) >= 0
    const line = ch_read(handle, {part: part, timeout: 0})
    if line ==# ''
      ++empties
    else
      empties = 0
      lines->add(line)
    endif
  endwhile
  return lines
enddef

defcompile
