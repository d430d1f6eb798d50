vim9script
# Tells diagnostics apart: several linters often say the same about a line, in the same words but for
# the quotation marks, and not always about the same columns.

# A record of what was said; empty in the beginning.
export def New(): dict<string>
  return {}
enddef

def Key(set: dict<any>, item: dict<any>): string
  const words = item.message->substitute('["''`‘’“”]', '', 'g')->tolower()
  return $"{set.path}\n{item.range.start.line}\n{words}"
enddef

# Whether no other linter has said this before; it counts as said from now on. What one linter says
# twice on a line stays.
export def IsNew(said: dict<string>, set: dict<any>, item: dict<any>): bool
  const key = Key(set, item)
  const linter = $'{set.source} {item.source}'
  if !has_key(said, key)
    said[key] = linter
  endif
  return said[key] ==# linter
enddef
