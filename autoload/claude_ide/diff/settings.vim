vim9script
# The options of diffs that only Vim reads, each time it needs them.

# Whether a diff that appears takes the user to it.
export def TakesFocus(): bool
  const options = get(g:, 'claude_ide', {})
  const diff = type(options) == v:t_dict ? get(options, 'diff', {}) : {}
  const focus = type(diff) == v:t_dict ? get(diff, 'focus', true) : true
  # Users write a number, too.
  return index([v:t_bool, v:t_number], type(focus)) < 0 || !!focus
enddef

defcompile
