vim9script
# Formats with the fixers of ALE, as `:ALEFix` does.

import autoload '../when/time_limit.vim'
import autoload './checkpoint.vim'

# Milliseconds.
const ANSWERS_WITHIN = 30000
const POLL = 10

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

# Format a loaded buffer; its text is unchanged afterwards. `Done` gets a failure or an empty string,
# and the new lines. Returns a function that ends the fixers. ALE applies nothing if the user has
# changed the text.
export def Format(bufnr: number, Done: func): func
  final point = checkpoint.New(bufnr)
  final state = {is_over: false}
  def End()
    ale#command#StopJobs(bufnr, 'fixer')
    state.is_over = true
  enddef
  const Answer = time_limit.New(ANSWERS_WITHIN, Done, () => {
    End()
    return time_limit.Failure(ANSWERS_WITHIN, true)
  })
  var tick = getbufvar(bufnr, 'changedtick')
  def Wait(_: any)
    if state.is_over
      return
    elseif bufloaded(bufnr) && has_key(g:ale_fix_buffer_data, bufnr)
      tick = getbufvar(bufnr, 'changedtick')
      timer_start(POLL, Wait)
    elseif !bufloaded(bufnr) || tick != point.tick
      Answer('', [])
    else
      Answer('', checkpoint.Restore(point))
    endif
  enddef
  if ale#fix#Fix(bufnr, '!')
    Wait(0)
  else
    Answer('it has no fixer', [])
  endif
  return End
enddef

defcompile
