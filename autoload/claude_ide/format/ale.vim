vim9script
# Formats with the fixers of ALE, as `:ALEFix` does.

import autoload './checkpoint.vim'

const POLL = 10 # milliseconds

# Whether the user has set fixers for a buffer.
export def Fixes(bufnr: number): bool
  if exists('g:ale_buffer_info') == 0 || !get(g:, 'ale_enabled', 1)
    return false
  endif
  final fixers = getbufvar(bufnr, 'ale_fixers', get(g:, 'ale_fixers', {}))
  if type(fixers) != v:t_dict
    return !empty(fixers)
  endif
  const filetype: string = getbufvar(bufnr, '&filetype')
  return split(filetype, '\.')->add('*')->indexof((_, each) => !empty(get(fixers, each, []))) >= 0
enddef

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets the outcome. ALE applies nothing if the
# user has changed the text.
export def Format(bufnr: number, _: dict<any>, Done: func)
  const point = checkpoint.New(bufnr)
  var tick = point.tick
  def Wait(_: any)
    if bufloaded(bufnr) && has_key(g:ale_fix_buffer_data, bufnr)
      tick = getbufvar(bufnr, 'changedtick')
      timer_start(POLL, Wait)
    else
      Done({lines: bufloaded(bufnr) && tick == point.tick ? checkpoint.Restore(point) : []})
    endif
  enddef
  if ale#fix#Fix(bufnr, '!')
    Wait(0)
  else
    Done({error: 'it has no fixer'})
  endif
enddef

defcompile
