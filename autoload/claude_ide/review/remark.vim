vim9script
# The buffer in which the user writes a remark on lines of a file, or a review before it is sent: `:w` stores
# or sends it, `:q!` drops it.

import autoload '../channel.vim'
import autoload '../file/command_buffer.vim'
import autoload '../messages/message.vim'
import autoload '../window/label.vim'
import autoload '../window/location.vim'

const LEAST = 5 # lines of the window
const MOST = 15

final texts: dict<dict<any>> = {} # {token, words, is_changed, place, text} by buffer

def TextOf(bufnr: number): string
  return getbufline(bufnr, 1, '$')->join("\n")->trim()
enddef

def Store(bufnr: number)
  if !channel.IsOpen()
    message.Show('the host has ended: copy your words, and begin again', 'warn')
    return
  endif
  texts[bufnr].text = TextOf(bufnr)
  if mode() =~# '^[iR]'
    stopinsert
  endif
  timer_start(0, (_) => execute($'silent! bwipeout! {bufnr}'))
enddef

# `:q` refuses to lose what the user has written.
def Guard(bufnr: number)
  const its = texts[bufnr]
  const is_lost = !has_key(its, 'text') && (its.is_changed || TextOf(bufnr) !=# trim(its.words))
  setbufvar(bufnr, '&modified', is_lost)
  timer_start(0, (_) => setbufvar(bufnr, '&modified', false))
enddef

def Ended(bufnr: number)
  const ended = remove(texts, bufnr)
  channel.Emit('answered', has_key(ended, 'text') ? {token: ended.token, text: ended.text}
    : {token: ended.token})
  const is_here = winbufnr(0) == bufnr
  timer_start(0, (_) => {
    # A later review may be open by now.
    if is_here && !has_key(texts, string(bufnr()))
      location.GoBack(ended.place)
    endif
  })
enddef

# Let the user write a remark. Emits `answered` {token, text?}; without `text` if they drop it.
export def Write(token: number, title: string, words: string, is_changed: bool): bool
  const lines = split(words, "\n", true)
  const place = location.Current()
  const bufnr = label.NewBuffer('claude-remark', title)
  texts[bufnr] = {token: token, title: title, words: words, is_changed: is_changed, place: place}
  const height = max([LEAST, min([len(lines) + 1, MOST, &lines - 6])])
  execute $'botright :{height}split'
  execute $'silent buffer {bufnr}'
  setlocal bufhidden=wipe buftype=acwrite noswapfile nomodeline
  setlocal winfixheight wrap nonumber norelativenumber nocursorbind noscrollbind nodiff
  setline(1, lines)
  setlocal nomodified filetype=markdown
  command_buffer.Listen(bufnr, () => Store(bufnr), () => 0)
  nnoremap <buffer> ZZ <Cmd>write<CR>
  augroup claude_ide_review_remark
    execute $'autocmd QuitPre <buffer={bufnr}> Guard({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> Ended({bufnr})'
  augroup END
  if empty(words)
    # After :startinsert the next key would still be a command of Normal mode: Vim waits for it.
    feedkeys('i', 'ni')
  endif
  return true
enddef

# Close what the user writes, which a later review replaces. What they have changed is kept in another buffer.
# The host calls this.
export def Close(token: number): bool
  for [name, its] in items(texts)
    const bufnr = str2nr(name)
    if its.token == token
      if its.is_changed || TextOf(bufnr) !=# trim(its.words)
        message.Show(command_buffer.Keep(its.title, getbufline(bufnr, 1, '$'), 'your text is', 'markdown'), 'warn')
      endif
      execute $'silent! bwipeout! {bufnr}'
    endif
  endfor
  return true
enddef

defcompile
