vim9script
scriptencoding utf-8
# Tells diagnostics apart: several linters often say the same about a line, in the same words but for
# the quotation marks, and not always about the same columns.

# A function that tells whether no other linter has said a diagnostic of a file before; it counts as
# said from then on. What one linter says twice on a line stays.
export def New(): func
  final said: dict<string> = {}
  return (path, source, item) => {
    const words = item.message->substitute('["''`‘’“”]', '', 'g')->tolower()
    const key = $"{path}\n{item.range.start.line}\n{words}"
    const linter = $'{source} {item.source}'
    if !has_key(said, key)
      said[key] = linter
    endif
    return said[key] ==# linter
  }
enddef

defcompile
