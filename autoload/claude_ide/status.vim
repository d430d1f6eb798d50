vim9script
scriptencoding utf-8
# `:ClaudeStatus`: shows the status in a popup.

import autoload './window/float.vim'

def Ago(seconds: number): string
  if seconds < 60
    return $'{seconds} s ago'
  elseif seconds < 3600
    return $'{seconds / 60} min ago'
  endif
  return $'{seconds / 3600} h ago'
enddef

def Relative(path: string): string
  return fnamemodify(path, ':~:.')
enddef

# The name of the terminal in which a client runs.
def TerminalOf(pid: number): string
  const terminal = exists('*claude_ide#terminal#register#OfClient')
    ? call('claude_ide#terminal#register#OfClient', [pid]) : {}
  return empty(terminal) ? '' : $' · {terminal.name}'
enddef

def ClientLine(client: dict<any>, now: float): string
  const name = client.version !=# '' ? $'{client.name} {client.version}' : client.name
  const pid = client.pid > 0 ? $' · pid {client.pid}' : ''
  const since = strftime('%H:%M:%S', float2nr(client.since))
  const silent = client.responsive ? '' : ' · does not answer'
  const folder = client.folder !=# '' ? $' · {fnamemodify(client.folder, ":~")}' : ''
  return $'  {name}{TerminalOf(client.pid)}{folder}{pid} · since {since} ({Ago(float2nr(now - client.since))}){silent}'
enddef

def Section(title: string, items: list<string>): list<string>
  return [$'{title}: {empty(items) ? "none" : len(items)}'] + items
enddef

# What stays in Vim, if the user wants that.
def Withheld(): list<string>
  var lines: list<string> = []
  if exists('*claude_ide#selection#IsShared') && !claude_ide#selection#IsShared()
    lines->add('The selection stays in Vim (:ClaudeShare on)')
  endif
  const why = exists('*claude_ide#privacy#Why') ? claude_ide#privacy#Why(bufnr()) : ''
  if type(why) == v:t_string && why !=# ''
    lines->add(why)
  endif
  if exists('*claude_ide#privacy#Problems')
    for problem in claude_ide#privacy#Problems()
      lines->add($'Privacy: {problem} (:ClaudeCheck)')
    endfor
  endif
  return lines
enddef

# The lines of the popup. `status` is the result of `App.describe`.
export def Lines(status: dict<any>): list<string>
  const server = has_key(status, 'address') ? [
    $'Server:  {status.address} as {status.name}',
    $'Lock:    {Relative(status.lock)}',
    'Folders: ' .. status.folders->mapnew((_, folder) => Relative(folder))->join(', '),
  ] : ['Server:  not running (:ClaudeStart)']
  const clients = status.clients->mapnew((_, client) => ClientLine(client, status.now))
  const diffs = status.diffs->mapnew((_, diff) =>
    $'  {Relative(diff.path)}{diff.shown ? "" : " (waiting for a free moment)"}')
  const mentions = status.mentions->mapnew((_, path) => $'  {Relative(path)}')
  return server + Withheld() + ['']
    + Section('Clients', clients)
    + Section('Open diffs', diffs)
    + Section('Mentions waiting for a client', mentions)
enddef

# Called by the host: show the status in a popup that `q` or <Esc> closes.
export def Show(status: dict<any>): bool
  return float.Show(Lines(status), {title: 'claude-ide'})
enddef

defcompile
