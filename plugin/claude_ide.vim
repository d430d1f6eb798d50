" The commands and maps in Vim; in Neovim plugin/claude_ide.lua defines them. Scripts are loaded and
" Python is started only when one is used. This is legacy script inside one :if, which vim.tiny skips.
if !exists('g:loaded_claude_ide') && !has('nvim')
  let g:loaded_claude_ide = 1
  let s:is_compatible = &compatible
  let s:cpo = &cpo
  set cpo&vim

  " Why the plugin does not work in this Vim; empty if it does.
  let s:refusal = ''
  let s:missing = filter(['channel', 'job', 'popupwin', 'textprop', 'timers'], '!has(v:val)')
  if !exists('*indexof')
    let s:refusal = 'claude-ide needs Vim 9.0.0196 or newer'
  elseif !empty(s:missing)
    let s:refusal = 'claude-ide needs a Vim with +' . join(s:missing, ', +')
  elseif s:is_compatible
    let s:refusal = "claude-ide needs 'nocompatible'"
  endif

  " All have a range, which most of them ignore: `:` in Visual mode inserts one.
  function s:Define(name, attributes, run) abort
    if empty(s:refusal)
      execute 'command! -range' a:attributes a:name a:run
    else
      execute 'command! -range -nargs=* -bang' a:name 'echomsg' string(s:refusal)
    endif
  endfunction

  " A map; `command` defines it in one mode.
  function s:Map(command, name, keys) abort
    let l:plug = '<Plug>(claude-' . a:name . ')'
    if empty(s:refusal)
      execute a:command l:plug a:keys
    else
      execute 'noremap' l:plug ':<C-U>echomsg' string(s:refusal) . '<CR>'
    endif
  endfunction

  let s:lines = '<range> ? [<line1>, <line2>] : []'

  " A command that the host executes.
  function s:Host(name, attributes) abort
    call s:Define(a:name, a:attributes, printf(
          \ 'call claude_ide#session#Command(%s, [<f-args>], %s, <bang>0)', string(a:name), s:lines))
  endfunction

  " A command whose text may contain `|`: `function` gets the text, the lines and the bang.
  function s:Text(name, attributes, function) abort
    call s:Define(a:name, '-nargs=* -bang ' . a:attributes, printf(
          \ 'call claude_ide#next_command#AfterText(%s, <q-args>, %s, <bang>0)',
          \ string(a:function), s:lines))
  endfunction

  call s:Define('Claude', '-nargs=* -complete=customlist,claude_ide#terminal#arguments#Complete',
        \ 'call claude_ide#next_command#AfterArguments("claude_ide#session#Claude", <q-args>, ' .
        \ s:lines . ', <bang>0)')
  call s:Define('ClaudeFocus', '-bar', 'call claude_ide#terminal#focus#Toggle()')
  call s:Host('ClaudeStart', '-bar -bang')
  call s:Host('ClaudeStop', '-bar -bang')
  call s:Host('ClaudeStatus', '-bar')
  call s:Host('ClaudeAnswer', '-bar')
  call s:Host('ClaudeSend', '-bar -bang')
  call s:Host('ClaudeAdd',
        \ '-bar -bang -nargs=+ -complete=customlist,claude_ide#selection#mention#Complete')
  call s:Define('ClaudeShare',
        \ '-bar -nargs=? -complete=customlist,claude_ide#selection#share#Complete',
        \ 'call claude_ide#selection#share#Run(<q-args>)')
  call s:Host('ClaudeTrust', '-bar -nargs=* -complete=customlist,claude_ide#host#trust#Complete')
  call s:Host('ClaudeMcpConfig',
        \ '-bar -bang -nargs=* -complete=customlist,claude_ide#tools#registration#Complete')
  call s:Host('ClaudeWire',
        \ '-bar -nargs=* -complete=customlist,claude_ide#wire_arguments#Complete')
  call s:Define('ClaudeAccept', '-bar -bang', 'call claude_ide#diff#AcceptCommand(<bang>0)')
  call s:Text('ClaudeReject', '', 'claude_ide#diff#RejectCommand')
  call s:Text('ClaudeAsk', '-complete=customlist,claude_ide#prompts#Complete',
        \ 'claude_ide#session#Ask')
  call s:Text('ClaudeEdit', '', 'claude_ide#session#Edit')
  call s:Define('ClaudeCommit', '-bar -bang', 'call claude_ide#session#Commit(<bang>0)')
  call s:Define('ClaudeInstall', '-bar -bang -nargs=?',
        \ 'call claude_ide#host#install#Command(<q-args>, <bang>0)')
  call s:Define('ClaudeCheck', '-bar', 'call claude_ide#health#Check()')
  call s:Define('ClaudeDismiss', '-bar', 'call claude_ide#tools#showing#Dismiss()')
  call s:Define('ClaudeLog', '-bar', 'call claude_ide#log_window#Open()')

  " What needs Neovim says so.
  function s:NeedsNeovim(name, attributes) abort
    call s:Define(a:name, a:attributes,
          \ 'call claude_ide#say#message#Show(":' . a:name . ' needs Neovim", "warn")')
  endfunction
  call s:NeedsNeovim('ClaudeChanges', '-bar -bang -nargs=*')
  call s:NeedsNeovim('ClaudeChat', '-nargs=*')
  call s:NeedsNeovim('ClaudeComment', '-bang -nargs=*')
  call s:NeedsNeovim('ClaudeFix', '-bar')
  call s:NeedsNeovim('ClaudeKernel', '-bar -nargs=*')
  call s:NeedsNeovim('ClaudeNew', '-bar -nargs=*')
  call s:NeedsNeovim('ClaudePrompt', '-bar -nargs=?')
  call s:NeedsNeovim('ClaudeSeen', '-bar -bang')
  call s:NeedsNeovim('ClaudeSwitch', '-bar -nargs=*')
  call s:NeedsNeovim('ClaudeTools', '-bar -nargs=*')
  call s:NeedsNeovim('ClaudeUninstall', '-bar -bang -nargs=1')

  call s:Map('nnoremap', 'toggle', '<Cmd>Claude<CR>')
  call s:Map('nnoremap', 'share', '<Cmd>ClaudeShare toggle<CR>')
  call s:Map('nnoremap', 'add', '<Cmd>ClaudeAdd %<CR>')
  call s:Map('nnoremap', 'dismiss', '<Cmd>ClaudeDismiss<CR>')
  call s:Map('nnoremap', 'answer', '<Cmd>ClaudeAnswer<CR>')
  call s:Map('nnoremap', 'commit', '<Cmd>ClaudeCommit<CR>')
  call s:Map('nnoremap', 'accept', '<Cmd>ClaudeAccept<CR>')
  call s:Map('nnoremap', 'reject', '<Cmd>ClaudeReject<CR>')
  call s:Map('nnoremap', 'focus', '<Cmd>ClaudeFocus<CR>')
  call s:Map('xnoremap', 'focus', '<Cmd>ClaudeFocus<CR>')
  call s:Map('inoremap', 'focus', '<Cmd>ClaudeFocus<CR>')
  call s:Map('tnoremap', 'focus', '<Cmd>ClaudeFocus<CR>')
  call s:Map('nnoremap', 'ask', '<Cmd>ClaudeAsk<CR>')
  call s:Map('xnoremap <silent>', 'ask', ':ClaudeAsk<CR>')
  call s:Map('nnoremap', 'edit', '<Cmd>ClaudeEdit<CR>')
  call s:Map('xnoremap <silent>', 'edit', ':ClaudeEdit<CR>')
  call s:Map('nnoremap <expr>', 'send', 'claude_ide#selection#mention#Operator()')
  call s:Map('xnoremap <silent>', 'send', ':ClaudeSend<CR>')
  for s:name in ['changes', 'chat', 'comment', 'fix', 'hunk-drop', 'hunk-next',
        \ 'hunk-previous', 'hunk-take', 'new', 'prompt', 'seen', 'switch', 'unseen-next',
        \ 'unseen-previous']
    call s:Map('noremap', s:name, '<Cmd>call claude_ide#say#message#Show(' .
          \ '"<lt>Plug>(claude-' . s:name . ') needs Neovim", "warn")<CR>')
  endfor

  " What the options start.
  function s:Begin() abort
    let l:options = get(g:, 'claude_ide', {})
    if type(l:options) != v:t_dict
      return
    endif
    if !empty(get(l:options, 'keys', 0))
      call claude_ide#suggested_keys#Define()
    endif
    if !empty(get(l:options, 'auto_start', 0))
      call timer_start(0, {-> execute('ClaudeStart!')})
    endif
  endfunction

  " The user's own maps come first, and may still change <Leader>. Python starts after the first
  " screen is drawn: it would delay that. If the plugin is loaded later, the event has happened.
  if empty(s:refusal)
    augroup claude_ide_start
      autocmd!
      autocmd SessionLoadPost * call claude_ide#diff#leftover#ClearSoon()
      if v:vim_did_enter
        call s:Begin()
      else
        autocmd VimEnter * ++once call s:Begin()
      endif
      " Vim does not record who has typed this.
      autocmd OptionSet autoread call claude_ide#disk#autoread#NoteTyped()
    augroup END
  endif

  let &cpo = s:cpo
  unlet s:cpo
endif
