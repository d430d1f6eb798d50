vim9script
# What a CLI runs in: a terminal of this Vim, or a pane of tmux. Its screen can be read, and texts can
# be sent to it. A device is a dict with its `bufnr` and `pane`, as a terminal of `register.vim` is.

import autoload './pane.vim'

# Bracketed paste.
const BEGIN = "\e[200~"
const END = "\e[201~"

export def Id(device: dict<any>): string
  return empty(device.pane) ? $'buffer {device.bufnr}' : $'pane {device.pane.id}'
enddef

# Read its screen. `Answer` gets the list of rows in a list; an empty list once the CLI has ended.
export def Read(device: dict<any>, Answer: func)
  if !empty(device.pane)
    pane.Read(device.pane, Answer)
    return
  endif
  const is_running = bufexists(device.bufnr) && term_getstatus(device.bufnr) =~# 'running'
  Answer(is_running ? [getbufline(device.bufnr, 1, '$')] : [])
enddef

export def Paste(device: dict<any>, text: string)
  if empty(device.pane)
    term_sendkeys(device.bufnr, BEGIN .. text .. END)
  else
    pane.Paste(device.pane, text)
  endif
enddef

# Press Enter in it.
export def Enter(device: dict<any>)
  if empty(device.pane)
    term_sendkeys(device.bufnr, "\r")
  else
    pane.Enter(device.pane)
  endif
enddef

defcompile
