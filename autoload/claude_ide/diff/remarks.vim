vim9script
# What the user says about an edit when it is decided: the reason of a rejection.

import autoload '../file/rebase.vim'
import autoload './quotation.vim'

# The changed lines of a proposal that is on the screen, in words.
def LinesOf(diff: dict<any>): string
  const left = empty(diff.view) ? -1 : winbufnr(get(diff.view.windows, 'left', -1))
  if left < 0
    return ''
  endif
  const areas = rebase.Areas(getbufline(left, 1, '$'), getbufline(diff.bufnr, 1, '$'))
  const found = areas->mapnew((_, area) =>
    quotation.Lines([area[2] + 1, max([area[2] + 1, area[3]])]))
  return empty(found) ? '' : $' ({found->join(", ")})'
enddef

# The remarks on a decision: `reason` for an agent that accepts one with the answer, `words` for an
# agent that has to be told in its next prompt. Empty without a reason.
export def Of(diff: dict<any>, accepted: bool, reason: string): dict<string>
  if accepted || reason ==# ''
    return {}
  endif
  const edit = $'your edit of {diff.where.path}{LinesOf(diff)}'
  return {reason: reason, words: $'I have rejected {edit}: {reason}'}
enddef

defcompile
