vim9script
# Converts positions in a buffer to positions of LSP and back: byte columns are UTF-16 code units there.

const HAS_UTF16 = exists('*strutf16len')

# The number of UTF-16 code units of a text.
export def Units(text: string): number
  if HAS_UTF16
    # Without the 1, composing characters would not count.
    return call('strutf16len', [text, 1])
  endif
  const characters = strchars(text)
  if characters == len(text)
    return characters
  endif
  return characters + strchars(substitute(text, '\%#=2[^\U10000-\U10ffff]', '', 'g'))
enddef

# The number of UTF-16 code units before a byte column (from 0); a column past the end counts as the
# end, and one inside a character as the end of that character.
export def Character(text: string, col: number): number
  if col >= len(text)
    return Units(text)
  endif
  const index = charidx(text, col, true)
  const start = byteidxcomp(text, index)
  return Units(strpart(text, 0, start == col ? col : byteidxcomp(text, index + 1)))
enddef

# The number of characters that have so many UTF-16 code units.
export def Characters(text: string, units: number): number
  # No character has more bytes than this for each of its units.
  const codes = strpart(text, 0, 3 * units)->str2list()
  var counted = 0
  for index in range(len(codes))
    if counted >= units
      return index
    endif
    counted += codes[index] > 0xffff ? 2 : 1
  endfor
  return len(codes)
enddef

# The byte column (from 0) of a position of LSP in a line; the end if it is past the end.
export def Column(text: string, character: number): number
  return byteidxcomp(text, Characters(text, character))
enddef

defcompile
