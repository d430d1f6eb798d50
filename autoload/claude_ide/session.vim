vim9script
# Starts and stops the features' watchers with the server, and cleans up after the host. It loads no
# feature just to clean it up.

import autoload './diagnostics.vim'
import autoload './disk_changes/reload.vim'
import autoload './editors.vim'
import autoload './file/path.vim'
import autoload './host.vim'
import autoload './messages/message.vim'
import autoload './messages/reason.vim'
import autoload './privacy.vim'
import autoload './selection.vim'
import autoload './timing/moment.vim'

# Functions to call when the host has ended, if their scripts are loaded.
const CLEANUPS = [
  'claude_ide#privacy#HostEnded',
  'claude_ide#batch#WithdrawAll',
  'claude_ide#diff#CloseAll',
  'claude_ide#diff#accepted#SettleAll',
  'claude_ide#disk_changes#reload#HostEnded',
  'claude_ide#ui#CloseAll',
  'claude_ide#headless#HostEnded',
  'claude_ide#status#Clear',
  'claude_ide#lists#HostEnded',
  'claude_ide#remark#HostEnded',
  'claude_ide#permission#Close',
  'claude_ide#typed_words#HostEnded',
]
const WITHOUT_WINDOW = ['ClaudeStart', 'ClaudeStop']
# With `!` these take the user to Claude; the others always do.
const FOCUSING = ['ClaudeSend', 'ClaudeAdd']
const FILE_LISTS = ['dirvish', 'fern', 'fugitive', 'nerdtree', 'netrw', 'qf'] # (`file_lists.vim`)

# The scripts that the first diff needs, until they are loaded.
final for_diffs = [
  'bars', 'diagnostics#texts', 'diagnostics#unopened', 'diff', 'diff#decision', 'diff#virtual_text',
  'diff#winbar', 'diff#windows', 'disk_changes#reload', 'file#borrowed_buffer',
  'file#buffers', 'file#command_buffer', 'file#disk', 'file#edit', 'file#load', 'file#path', 'file#text',
  'messages#plain', 'own_writes', 'terminals', 'waiting', 'window#inside', 'window#label', 'window#location',
  'window#shape', 'window#tiling', 'window#winbar',
]

# Vim loads a script to find a function of it, also one that it does not have.
def Load(script: string)
  try
    call($'claude_ide#{script}#None', [])
  catch /E117:/
  endtry
enddef

def CallIfLoaded(name: string, _ = '')
  if exists('*' .. name)
    call(name, [])
  endif
enddef

# Each of them by itself, so that the failure of one does not stop the others. Privacy comes first:
# the others ask it which files stay in the editor.
host.OnServing((on) => privacy.Watch(on))
host.OnServing((on) => moment.NoticeTyping(on))
host.OnServing((on) => selection.Watch(on))
host.OnServing((on) => editors.Watch(on))
host.OnServing((on) => diagnostics.Watch(on))
host.OnServing((on) => reload.Watch(on))
host.OnServing((on) => {
  if on
    claude_ide#attention#Watch()
  else
    CallIfLoaded('claude_ide#diff#CloseAll')
  endif
})
for cleanup in CLEANUPS
  host.OnExit(function(CallIfLoaded, [cleanup]))
endfor

augroup claude_ide_session
  autocmd!
  # One by one, so that keys are handled in between.
  autocmd User ClaudeConnected ++once timer_start(1, (_) => Load(remove(for_diffs, 0)), {repeat: len(for_diffs)})
augroup END

# What the user means in the current buffer, as its source returns it: `items`, or an `error`; empty if files are
# not listed in it. `lines` has the range of the command, if it has one. The host makes mentions of it (`Listed`
# in `editor/mentions.py`).
export def Listed(lines: list<number>): dict<any>
  const filetype = &filetype
  if FILE_LISTS->index(filetype) < 0
    return {}
  endif
  # A source may move the cursor; an error in another plugin must not become ours.
  const view = winsaveview()
  const [succeeded, found] = reason.Attempt(function('claude_ide#file_lists#' .. filetype), [lines])
  winrestview(view)
  return {filetype: filetype, in_lines: !empty(lines)}
    ->extend(succeeded ? {items: found} : {error: found})
enddef

# In a buffer that lists files, these mean the entries there: they are found now, because the list may
# close, or change, before the host asks. `:ClaudeAdd %` is what its map types.
def WithListed(name: string, args: list<string>, lines: list<number>): list<any>
  const listed = name ==# 'ClaudeSend' || (name ==# 'ClaudeAdd' && args == ['%']) ? Listed(lines) : {}
  return empty(listed) ? [name, args] : ['ClaudeSend', [json_encode(listed)]]
enddef

# Send a command to the host as soon as the host can run. `lines` is empty without a range.
export def Command(name: string, args: list<string>, lines: list<number>, bang: bool)
  if name ==# 'Claude' || (bang && FOCUSING->index(name) >= 0)
    # The user means the current selection, but the command will take them to another window.
    selection.Hold(lines)
  endif
  const [sent, sent_args] = WithListed(name, args, lines)
  if sent ==# 'ClaudeSend' && empty(sent_args) && !empty(lines) && path.Path(bufnr()) ==# ''
    # It has no lines that could be mentioned: they are quoted.
    claude_ide#sending#Quote(lines, bang)
    return
  endif
  When(sent, sent_args->string(), lines, bang, (its_lines) => {
    if sent ==# 'ClaudeSessions' && !bang
      claude_ide#lists#Expect('sessions', 'Sessions')
    endif
    host.Command(sent, {args: sent_args, lines: its_lines, bang: bang})
  })
enddef

# Call a function as soon as the host can run, with the lines of the command, or none if their text has changed.
def When(command: string, args: string, lines: list<number>, bang: bool, Fn: func)
  const Run = (is_here) => {
    Fn(is_here ? lines : [])
  }
  const may_open = WITHOUT_WINDOW->index(command) >= 0 || claude_ide#ready#MayOpen()
  if may_open && claude_ide#ready#MayRun(command, args, bang, Run)
    Run(true)
  endif
enddef

# Call a feature's function as soon as the host can run. With a bang it stops what runs, which needs
# no host.
def Feature(command: string, function_name: string, text: string, lines: list<number>, bang: bool)
  const Run = (its_lines) => {
    call(function_name, [text, its_lines, bang])
  }
  if bang
    Run(lines)
  else
    When(command, text, lines, bang, Run)
  endif
enddef

# `:ClaudeBackground`.
export def Background(text: string, lines: list<number>, bang: bool)
  Command('ClaudeBackground', [claude_ide#sending#KeepTyped(text, lines)], lines, bang)
enddef

# `:ClaudeComment`.
export def Comment(words: string, lines: list<number>, bang: bool)
  if bufname() =~# '^claude-diff:'
    message.NeedNeovim('a comment in a proposal')
    return
  endif
  Command('ClaudeComment', [trim(words)], lines, bang)
enddef

# `:ClaudeAsk`.
export def Ask(text: string, lines: list<number>, bang: bool)
  Feature('ClaudeAsk', 'claude_ide#headless#answer#Ask', text, lines, bang)
enddef

# `:ClaudeEdit`.
export def Edit(text: string, lines: list<number>, bang: bool)
  Feature('ClaudeEdit', 'claude_ide#headless#rewrite#Edit', text, lines, bang)
enddef

# `:ClaudeCommit`.
export def Commit(typed: string, bang: bool)
  Feature('ClaudeCommit', 'claude_ide#headless#answer#WriteCommit', typed, [], bang)
enddef

defcompile
