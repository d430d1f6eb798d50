vim9script
# Which diff a command without a number applies to.

import autoload './layout.vim'
import autoload '../ui/vim_ui.vim'
import autoload '../messages/message.vim'

def Ask(shown: list<dict<any>>, Apply: func)
  const names = shown->mapnew((_, diff) => $'{diff.where.path} ({diff.title})')
  vim_ui.Select('Which diff?', names, (index) => {
    if index > 0
      call(Apply, [shown[index - 1]])
    endif
  })
enddef

# Call `Apply` with the current window's diff, else with the only one, else with the user's choice.
export def Choose(diffs: list<dict<any>>, Apply: func)
  const shown = diffs->copy()->filter((_, diff) => !empty(diff.view))
    ->sort((one, other) => one.id - other.id)
  const here = shown->copy()->filter((_, diff) => layout.HasWindow(diff.view, win_getid()))
  if !empty(here) || len(shown) == 1
    call(Apply, [get(here, 0, get(shown, 0))])
  elseif len(shown) > 1
    Ask(shown, Apply)
  else
    message.Show('no diff is open', 'warn')
  endif
enddef

defcompile
