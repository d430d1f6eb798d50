vim9script
# Makes text from outside harmless for a buffer, a title or a message.

# A line in which control characters are replaced: by `^X`, or by `<9b>` if they have 8 bits.
# Carriage returns at its end are removed. A line feed is a NUL, as in a buffer.
export def Harmless(line: string): string
  return line->substitute('\r\+$', '', '')
    ->substitute('\n', '^@', 'g')
    ->substitute('[\x01-\x08\x0a-\x1f\x7f]', (found) => '^' .. nr2char(xor(char2nr(found[0]), 0x40)), 'g')
    ->substitute('[\u80-\u9f]', (found) => printf('<%02x>', char2nr(found[0])), 'g')
enddef

# A text as one harmless line; each run of white space becomes a blank.
export def OneLine(text: string): string
  return Harmless(substitute(text, '\_s\+', ' ', 'g'))
enddef

# A text for a status line, escaped so that nothing in it is evaluated.
export def StatusLine(text: string): string
  return Harmless(text)->substitute('%', '%%', 'g')
enddef

defcompile
