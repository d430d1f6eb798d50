vim9script
# The buffer in which the user writes a remark on lines of a file, or a review before it is sent: `:w` stores
# or sends it, `:q!` drops it.

import autoload '../channel.vim'
import autoload '../window/label.vim'

const LEAST = 5 # lines of the window
const MOST = 15

final texts: dict<dict<any>> = {} # {token, text} by buffer

# Only for the autocommand.
export def Store(bufnr: number)
  texts[bufnr].text = getbufline(bufnr, 1, '$')
  setbufvar(bufnr, '&modified', false)
  timer_start(0, (_) => execute($'silent! bwipeout {bufnr}'))
enddef

# Only for the autocommand.
export def Ended(bufnr: number)
  const ended = remove(texts, bufnr)
  channel.Emit('answered', ended)
enddef

# Let the user write a remark. Emits `answered` {token, text?}; without `text` if they drop it.
export def Write(token: number, title: string, words: string): bool
  const lines = split(words, "\n", true)
  const bufnr = label.NewBuffer('claude-remark', title)
  texts[bufnr] = {token: token}
  execute $'belowright :{max([LEAST, min([len(lines) + 1, MOST])])}split'
  execute $'buffer {bufnr}'
  setlocal bufhidden=wipe buftype=acwrite
  setline(1, lines)
  setlocal nomodified filetype=markdown
  augroup claude_ide_review_remark
    execute $'autocmd BufWriteCmd <buffer={bufnr}> claude_ide#review#remark#Store({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> claude_ide#review#remark#Ended({bufnr})'
  augroup END
  if empty(words)
    startinsert
  endif
  return true
enddef

defcompile
