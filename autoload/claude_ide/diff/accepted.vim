vim9script
# Accepted texts that differ from the proposal, held until the agent has written them.

import autoload '../file/command_buffer.vim'
import autoload '../file/disk.vim'
import autoload '../messages/message.vim'

# An agent that does not report a refusal writes within half a second or not at all.
const TIMEOUT_MS = 10000

final held: dict<dict<any>> = {} # {path, text, filetype, stamp, before} by diff id

# The text of a file; without a line if there is no file. Opening a named pipe would block.
def OnDisk(path: string): list<string>
  return filereadable(path) ? readfile(path, 'b') : []
enddef

# Hold an accepted text.
export def Hold(diff: dict<any>, text: list<string>)
  const filetype = getbufvar(diff.bufnr, '&filetype')
  held[diff.id] = {path: diff.path, text: text, filetype: filetype,
    stamp: disk.Stamp(diff.path), before: OnDisk(diff.path)}
  if !get(diff, 'is_reported', false)
    timer_start(TIMEOUT_MS, (_) => Settle(diff.id))
  endif
enddef

# Drop an accepted text that was written; put one that was not into a buffer, so that the user's
# edits survive. Without `is_written`, a file that has changed since counts as written.
export def Settle(id: number, is_written: any = v:null): bool
  if !has_key(held, id)
    return true
  endif
  const accepted = remove(held, string(id))
  const now = OnDisk(accepted.path)
  # The user may have reverted it already; Vim's stamp is the same for a second.
  const is_changed = disk.Stamp(accepted.path) !=# accepted.stamp || now !=# accepted.before
  const is_settled = is_written == v:null ? is_changed : is_written
  if !is_settled && now !=# accepted.text
    const what = 'not written; your edits are'
    message.Show(command_buffer.Keep(accepted.path, accepted.text, what, accepted.filetype), 'warn')
  endif
  return true
enddef

# Settle all of them: the host that would report has ended.
export def SettleAll()
  for id in keys(held)
    Settle(str2nr(id))
  endfor
enddef

defcompile
