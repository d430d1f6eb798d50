vim9script
# What the user says about an edit when it is decided: the reason of a rejection.

# The remarks on a decision: `reason` for an agent that accepts one with the answer, `words` for an
# agent that has to be told in its next prompt. Empty without a reason.
export def Of(diff: dict<any>, accepted: bool, reason: string): dict<string>
  if accepted || reason ==# ''
    return {}
  endif
  return {reason: reason, words: $'I have rejected your edit of {diff.where.path}: {reason}'}
enddef

defcompile
