vim9script
# `:ClaudeCommit`: a message for the staged changes, inserted where the user writes the commit
# message.

import autoload './answer.vim'
import autoload './note.vim'
import autoload '../file/edit.vim'
import autoload '../file/path.vim'
import autoload '../headless.vim'
import autoload '../messages/message.vim'
import autoload '../messages/plain.vim'
import autoload '../messages/reason.vim'
import autoload '../timing/moment.vim'

const TRAILER = '^\u[[:alnum:]-]*: \S'

# The commit message in the current window, else in another one of the tab page; 0 if there is none.
def FindBuffer(): number
  const found = ([bufnr()] + tabpagebuflist())->filter((_, bufnr) =>
    getbufvar(bufnr, '&filetype') ==# 'gitcommit' && getbufvar(bufnr, '&modifiable'))
  return get(found, 0, 0)
enddef

# The number of leading lines without those at their end that match.
def SkipBack(lines: list<string>, count: number, pattern: string): number
  var left = count
  while left > 0 && lines[left - 1] =~# pattern
    left -= 1
  endwhile
  return left
enddef

# The number of leading lines that are the user's text. It ends before Git's comments, which include
# the scissors line, before trailers (`git commit --signoff`), and before blank lines in front of
# these.
def CountWritten(lines: list<string>, comment: string): number
  const commented = lines->indexof((_, line) => stridx(line, comment) == 0)
  var count = SkipBack(lines, commented < 0 ? len(lines) : commented, '^\s*$')
  count = SkipBack(lines, count, TRAILER)
  return SkipBack(lines, count, '^\s*$')
enddef

# Insert a message below what the user has written, and above trailers and comments. `comment` is
# the prefix of Git's comments.
export def Insert(bufnr: number, text: list<string>, comment: string)
  const lines = getbufline(bufnr, 1, '$')
  const first = CountWritten(lines, comment)
  var last = first
  while last < len(lines) && lines[last] =~# '^\s*$'
    last += 1
  endwhile
  const written = first > 0 ? lines[: first - 1] + [''] : []
  const rest = last < len(lines) ? [''] + lines[last :] : []
  edit.Change(bufnr, written + text->mapnew((_, line) => plain.Harmless(line)) + rest)
enddef

def InsertIfPossible(bufnr: number, written: dict<any>, shown: dict<any>)
  note.Remove(shown)
  if !bufloaded(bufnr) || !getbufvar(bufnr, '&modifiable')
    message.Show('the commit message can no longer be changed', 'warn')
  else
    Insert(bufnr, written.text, written.comment)
    moment.Settle()
  endif
enddef

# The text must not change under a user who is typing in it, or selecting.
def InsertWhenFree(bufnr: number, written: dict<any>, shown: dict<any>)
  const obstacle = moment.Obstacle()
  if bufnr == bufnr() && obstacle !=# ''
    note.Show(shown, $'Claude has written a message: {obstacle}')
  endif
  const When = bufnr == bufnr() ? moment.WhenFree : moment.WhenHarmless
  When(() => InsertIfPossible(bufnr, written, shown), (why) => {
    note.Remove(shown)
    message.Show(why, 'error')
  })
enddef

def Finish(bufnr: number, error: string, written: any, shown: dict<any>)
  if error ==# ''
    InsertWhenFree(bufnr, written, shown)
    return
  endif
  note.Remove(shown)
  if error !=# headless.CANCELLED
    message.Show(error, 'error')
  endif
enddef

def WriteInto(bufnr: number)
  final shown = note.New(bufnr, 1)
  headless.Begin('commit', {path: path.Name(bufnr)}, {
    OnProgress: (progress) => note.ShowProgress(shown, 'writing', progress),
    OnEnd: (error, written) => Finish(bufnr, error, written, shown),
  })
  note.ShowProgress(shown, 'writing', '')
enddef

def Ask()
  const bufnr = FindBuffer()
  if bufnr > 0
    WriteInto(bufnr)
  else
    answer.Show('Commit message', 'commit', {}, (written) => written.text, true)
  endif
enddef

# Carry out `:ClaudeCommit[!]`.
export def Write(_: string, _: list<number>, bang: bool)
  if bang
    headless.CancelAll('commit', 'nothing to stop')
    return
  endif
  const failure = reason.Try(Ask)
  if failure !=# ''
    message.Show(failure, 'error')
  endif
enddef

defcompile
