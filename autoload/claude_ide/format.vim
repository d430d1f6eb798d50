vim9script
# What formats buffers: the user's own formatters. The host chooses among them, runs programs, and applies the
# new text (`editor/formatting.py`).

import autoload './channel.vim'
import autoload './disk_changes/reload.vim'
import autoload './file/disk.vim'
import autoload './file/text.vim' as buffer_text
import autoload './format/expression.vim'
import autoload './format/plugins.vim'
import autoload './messages/reason.vim'
import autoload './window/inside.vim'

# Whether the user has set an option for this buffer: no filetype plugin of Vim, and no modeline.
def IsOwn(bufnr: number, name: string): bool
  const origin = inside.Run(bufnr, $'silent verbose setlocal {name}?')->split("\n")->get(1, '')
  return getbufvar(bufnr, '&' .. name) !=# ''
    && stridx(origin, fnamemodify($VIMRUNTIME, ':~')) < 0 && origin !~# '\<modeline\>'
enddef

# What can format a buffer now, in the order in which `gq` looks (`candidates`), whether a server is starting,
# and whether others may attach; nothing if it is not loaded.
export def Formatters(bufnr: number): any
  if !bufloaded(bufnr)
    return v:null
  endif
  final found: list<dict<any>> = plugins.HasFixers(bufnr) ? [{kind: 'ale', name: 'ALE', is_own: true}] : []
  # Most expressions of Vim itself fill paragraphs.
  if IsOwn(bufnr, 'formatexpr') && expression.IsUsable(bufnr)
    found->add({kind: 'expression', name: "'formatexpr'", is_own: true})
  endif
  const asked = plugins.Servers(bufnr)
  extend(found, asked.servers)
  for option in ['formatprg', 'equalprg']
    const program: string = getbufvar(bufnr, '&' .. option) ?? eval('&g:' .. option)
    if program !=# ''
      const is_own = option ==# 'formatprg' && IsOwn(bufnr, option)
      found->add({kind: 'program', name: program, is_own: is_own})
    endif
  endfor
  return {candidates: found, is_starting: asked.is_starting, may_attach: asked.may_attach}
enddef

# The text of a buffer after it has followed the disk; nothing if it is not loaded. `is_in_conflict`: it has
# unsaved changes to an older text of the file.
export def Text(bufnr: number, path: string): any
  if !bufloaded(bufnr)
    return v:null
  endif
  reload.SyncOne(bufnr)
  final text = buffer_text.Describe(bufnr, path)
  text.is_in_conflict = text.is_modified && disk.HasChanged(bufnr)
  return text
enddef

# Have a plugin or an expression format a loaded buffer, whose text is unchanged afterwards. Then emit
# `answered` with the `token`, and the new `lines` or the `edits` of a language server.
export def Start(token: number, bufnr: number, formatter: dict<any>): bool
  def Done(outcome: dict<any>)
    const is_text = buffer_text.IsUtf8(get(outcome, 'lines', []))
    const answer = is_text ? outcome : {error: 'its result is not valid UTF-8'}
    channel.Emit('answered', extend({token: token}, answer))
  enddef
  const Format = formatter.kind ==# 'expression' ? expression.Format : plugins.Format
  const failure = reason.Try(Format, [bufnr, formatter, Done])
  if failure !=# ''
    Done({error: failure})
  endif
  return true
enddef

defcompile
