vim9script
# Waits until language servers and linters have published diagnostics for a buffer's new text.

import autoload '../channel.vim'
import autoload './events.vim'
import autoload './expectation.vim'
import autoload './wake.vim'

# Milliseconds.
const RECENT = 1500
const SETTLE = 30
const TICK = 10

# Buffers with a recent new text for which answers are pending.
export def Unsettled(): list<number>
  return expectation.Buffers()->filter((_, bufnr) =>
    expectation.Age(bufnr) < RECENT && expectation.IsPending(bufnr))
enddef

# Emit `diagnostics_published` with the `token` once no answers for these buffers are pending, or after
# the timeout. Answers for a buffer are expected from now on if they were not before.
export def Await(token: number, bufnrs: list<number>, timeout_ms: number): bool
  for bufnr in bufnrs
    if !expectation.IsKnown(bufnr)
      wake.Buffer(bufnr)
    endif
  endfor
  const began = reltime()
  # A server that checks several files publishes them one after another.
  final last = {publish: [0, 0]}
  def OnPublished(_: string)
    last.publish = reltime()
  enddef
  events.Subscribe(OnPublished)
  def Check(_: any)
    const pending = copy(bufnrs)->filter((_, bufnr) => expectation.IsPending(bufnr))
    const is_late = expectation.MsSince(began) >= timeout_ms
    if is_late || (empty(pending) && expectation.MsSince(last.publish) >= SETTLE)
      events.Unsubscribe(OnPublished)
      for bufnr in pending
        expectation.Abandon(bufnr)
      endfor
      channel.Emit('diagnostics_published', {token: token})
    else
      timer_start(TICK, Check)
    endif
  enddef
  Check(0)
  return true
enddef

defcompile
