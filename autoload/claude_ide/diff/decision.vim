vim9script
# A buffer that decides something: writing it accepts, wiping it out rejects.

import autoload '../file/command_buffer.vim'
import autoload '../file/text.vim'
import autoload '../messages/message.vim'

final handlers: dict<dict<any>> = {} # by buffer

def Restore(bufnr: number)
  text.Put(bufnr, call(handlers[bufnr].Text, []))
enddef

def Explain(bufnr: number)
  if !handlers[bufnr].is_explained
    handlers[bufnr].is_explained = true
    message.Show('a plugin wrote this, so nothing was accepted: type :w yourself', 'warn')
  endif
enddef

def Wiped(bufnr: number)
  const entry = remove(handlers, bufnr)
  call(entry.Wiped, [])
enddef

# Fill a buffer, which has its name already, with the text to decide on. `listening` has `Written`,
# called when the user writes it; `Wiped`, called when it is wiped out, also after it was written;
# and `Text`, which returns the lines that `:edit!` restores. It stays 'nomodifiable' until the
# caller unlocks it.
export def Fill(bufnr: number, lines: list<string>, listening: dict<any>)
  handlers[bufnr] = extendnew(listening, {is_explained: false})
  text.Put(bufnr, lines)
  setbufvar(bufnr, '&buftype', 'acwrite')
  setbufvar(bufnr, '&bufhidden', 'wipe')
  setbufvar(bufnr, '&fileencoding', 'utf-8')
  setbufvar(bufnr, '&modified', false)
  setbufvar(bufnr, '&modifiable', false)
  command_buffer.Listen(bufnr, listening.Written, () => Explain(bufnr))
  augroup claude_ide_decision
    execute $'autocmd BufReadCmd <buffer={bufnr}> Restore({bufnr})'
    execute $'autocmd BufWipeout <buffer={bufnr}> Wiped({bufnr})'
  augroup END
enddef

# Map the keys of the current buffer, which decides something. `ZZ` would only write what is
# modified.
export def MapKeys()
  nnoremap <buffer> ZZ <Cmd>write<CR>
enddef

defcompile
