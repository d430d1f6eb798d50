vim9script
# Starts and stops the features' watchers with the server, and cleans up after the host. It loads no
# feature just to clean it up.

import autoload './host.vim'
import autoload './host/ready.vim'
import autoload './diagnostics.vim'
import autoload './disk/change.vim'
import autoload './file/buffers.vim'
import autoload './privacy.vim'
import autoload './selection.vim'
import autoload './when/moment.vim'

# Functions to call when the host has ended, if their scripts are loaded.
const CLEANUPS = [
  'claude_ide#diff#CloseAll',
  'claude_ide#diff#accepted#SettleAll',
  'claude_ide#dialogue#CloseAll',
  'claude_ide#question#HostEnded',
]
# With `!` these take the user to Claude; the others always do.
const FOCUSING = ['ClaudeSend', 'ClaudeAdd']

def Watch(on: bool)
  moment.NoticeTyping(on)
  # First: the others ask it which files stay in the editor.
  privacy.Watch(on)
  selection.Watch(on)
  buffers.Watch(on)
  diagnostics.Watch(on)
  change.Watch(on)
enddef

def CallIfLoaded(name: string)
  if exists('*' .. name)
    call(name, [])
  endif
enddef

host.OnServing((on) => {
  Watch(on)
  if !on
    CallIfLoaded('claude_ide#diff#CloseAll')
  endif
})
host.OnExit((_) => {
  for name in CLEANUPS
    CallIfLoaded(name)
  endfor
})

# Carry out a command that needs the host, as soon as the host can run (`ready.vim`).
export def Run(name: string, options: dict<any>, Fn: func)
  ready.Run(name, options, Fn)
enddef

# Send a command to the host as soon as the host can run. `lines` is empty without a range.
export def Command(name: string, args: list<string>, lines: list<number>, bang: bool)
  if name ==# 'Claude' || (bang && FOCUSING->index(name) >= 0)
    # The user means the current selection, but the command will take them to another window.
    selection.Hold(lines)
  endif
  const options = {args: args, lines: lines, bang: bang}
  Run(name, options, () => host.Command(name, options))
enddef

# `:Claude`.
export def Claude(args: list<string>, lines: list<number>, bang: bool)
  Command('Claude', args, lines, bang)
enddef
