vim9script
# What the host needs to type prompts into terminals (`editor/typing.py`), and the words that are on
# their way: they are not lost with the CLI or the host.

import autoload '../messages/message.vim'
import autoload '../messages/yank.vim'

var words: dict<string> = {} # prompts that have not been typed yet, by number
var last = 0

# Keep words that cannot be typed, which the user would otherwise have to write again.
def Yank(texts: list<string>): string
  yank.Text(texts->join("\n\n"))
  return '; your words are yanked, so that you can paste them'
enddef

# Called by the host: hold a prompt for which there is no terminal yet, until `Finish`. Returns its
# number.
export def Hold(text: string): number
  last += 1
  words[last] = text
  return last
enddef

# Called by the host: find the terminal in which a client runs, and hold a prompt for it until `Finish`
# or `Lose`. `pid` is the client's, 0: the CLI of `:Claude`; `name` is that of a terminal in place of a client. Returns the prompt's `number`, and the
# `bufnr`, or the id of the `pane` and $TMUX; `error` if no terminal of this Vim, or pane of `:Claude`,
# is found.
export def Begin(pid: number, text: string, name = ''): dict<any>
  const named = claude_ide#terminals#Named(name)
  const terminal = !empty(named) ? named : pid > 0 ? claude_ide#terminals#OfClient(pid) : claude_ide#terminals#Current()
  if empty(terminal)
    const reason = pid == 0 ? 'no terminal of this Vim runs Claude (:Claude opens one)'
      : 'Claude is not in a terminal of this Vim'
    return {error: reason .. Yank([text])}
  endif
  return {number: Hold(text), bufnr: terminal.bufnr, pane: get(terminal.pane, 'id', ''), tmux: $TMUX}
enddef

# Called by the host: the lowest rows of a terminal, without empty ones below; none once its program
# has ended.
export def Read(bufnr: number, most: number): list<string>
  if !bufexists(bufnr) || term_getstatus(bufnr) !~# 'running'
    return []
  endif
  var rows = getbufline(bufnr, 1, '$')
  while len(rows) > 1 && rows[-1] ==# ''
    rows->remove(-1)
  endwhile
  return rows[- most :]
enddef

# Called by the host: send keys to a terminal if it still shows these rows. Otherwise a dialog could
# get them.
export def Press(bufnr: number, keys: string, seen: list<string>): bool
  if empty(seen) || Read(bufnr, len(seen)) != seen
    return false
  endif
  term_sendkeys(bufnr, keys)
  return true
enddef

# Called by the host: a prompt has been typed.
export def Finish(number: number): bool
  if has_key(words, number)
    words->remove(string(number))
  endif
  return true
enddef

# Called by the host: keep the words of prompts that the CLI has not got.
export def Lose(numbers: list<number>, why: string): bool
  const texts = numbers->copy()->filter((_, number) => has_key(words, number))
    ->mapnew((_, number) => words->remove(string(number)))
  if !empty(texts)
    message.Show(why .. Yank(texts), 'warn')
  endif
  return true
enddef

# The host has ended, which would have typed them.
export def HostEnded()
  Lose(keys(words)->mapnew((_, number) => str2nr(number))->sort('n'),
    'the host has ended before your words were typed')
enddef

defcompile
