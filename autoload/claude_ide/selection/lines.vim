vim9script
# The lines of a buffer that lists files to which a mention refers.

# The items that `At` returns for each line, without empty ones. Without a range ([]), the cursor's
# line is meant.
export def Collect(lines: list<number>, At: func(number): any): list<any>
  const [first, last] = empty(lines) ? [line('.'), line('.')] : lines
  return range(first, last)->mapnew((_, lnum) => At(lnum))->filter((_, item) => !empty(item))
enddef

defcompile
