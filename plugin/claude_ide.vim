" The commands and maps in Vim; in Neovim plugin/claude_ide.lua defines them. Scripts are loaded and
" Python is started only when one is used. This is legacy script inside one :if, which vim.tiny skips.
if !exists('g:loaded_claude_ide') && !has('nvim')
  let g:loaded_claude_ide = 1
  let s:cpo = &cpo
  set cpo&vim

  " All have a range, which most of them ignore: `:` in Visual mode inserts one.
  function s:Define(name, attributes, run) abort
    execute 'command! -range' a:attributes a:name a:run
  endfunction

  if !(exists('*indexof') && has('job') && has('popupwin') && has('timers'))
    for s:name in ['Claude', 'ClaudeStart', 'ClaudeSend']
      call s:Define(s:name, '-nargs=* -bang -bar',
            \ 'echomsg "claude-ide needs Vim 9.0.0196 or newer with +job, +popupwin and +timers"')
    endfor
  else
    let s:lines = '<range> ? [<line1>, <line2>] : []'

    " A command that the host executes.
    function s:Host(name, attributes) abort
      call s:Define(a:name, a:attributes, printf(
            \ 'call claude_ide#session#Command(%s, [<f-args>], %s, <bang>0)', string(a:name), s:lines))
    endfunction

    " A command whose text may contain `|`: `function` gets the text, the lines and the bang.
    function s:Text(name, function, complete = '') abort
      call s:Define(a:name, '-nargs=* -bang ' .. a:complete, printf(
            \ 'call claude_ide#next_command#AfterText(%s, <q-args>, %s, <bang>0)',
            \ string(a:function), s:lines))
    endfunction

    call s:Define('Claude', '-nargs=* -complete=customlist,claude_ide#terminal#arguments#Complete',
          \ 'call claude_ide#next_command#AfterArguments("claude_ide#session#Claude", <q-args>, ' ..
          \ s:lines .. ', <bang>0)')
    call s:Define('ClaudeFocus', '-bar', 'call claude_ide#terminal#focus#Toggle()')
    call s:Host('ClaudeStart', '-bar -bang')
    call s:Host('ClaudeStop', '-bar -bang')
    call s:Host('ClaudeStatus', '-bar')
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
    call s:Text('ClaudeReject', 'claude_ide#diff#RejectCommand')
    call s:Text('ClaudeAsk', 'claude_ide#session#Ask', '-complete=customlist,claude_ide#prompts#Complete')
    call s:Text('ClaudeEdit', 'claude_ide#session#Edit')
    call s:Define('ClaudeCommit', '-bar -bang', 'call claude_ide#session#Commit(<bang>0)')
    call s:Define('ClaudeInstall', '-bar -bang', 'call claude_ide#host#install#Run(<bang>0)')
    call s:Define('ClaudeCheck', '-bar', 'call claude_ide#health#Check()')
    call s:Define('ClaudeDismiss', '-bar', 'call claude_ide#tools#showing#Dismiss()')
    call s:Define('ClaudeLog', '-bar', 'call claude_ide#log_window#Open()')

    for s:name in ['Answer', 'Changes', 'Chat', 'Comment', 'Fix', 'Kernel', 'New',
          \ 'Prompt', 'Seen', 'Switch', 'Tools', 'Uninstall']
      call s:Define('Claude' .. s:name, '-nargs=* -bang', printf(
            \ 'call claude_ide#say#message#Show(":Claude%s needs Neovim", "warn")', s:name))
    endfor

    function s:Map(name, command) abort
      execute printf('nnoremap <Plug>(claude-%s) <Cmd>%s<CR>', a:name, a:command)
    endfunction

    function s:MapLines(name, command) abort
      execute printf('xnoremap <silent> <Plug>(claude-%s) :%s<CR>', a:name, a:command)
    endfunction

    call s:Map('toggle', 'Claude')
    call s:Map('share', 'ClaudeShare toggle')
    call s:Map('add', 'ClaudeAdd %')
    call s:Map('ask', 'ClaudeAsk')
    call s:Map('edit', 'ClaudeEdit')
    call s:Map('dismiss', 'ClaudeDismiss')
    call s:Map('commit', 'ClaudeCommit')
    call s:Map('accept', 'ClaudeAccept')
    call s:Map('reject', 'ClaudeReject')
    call s:MapLines('send', 'ClaudeSend')
    call s:MapLines('ask', 'ClaudeAsk')
    call s:MapLines('edit', 'ClaudeEdit')
    nnoremap <expr> <Plug>(claude-send) claude_ide#selection#mention#Operator()
    nnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    xnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    inoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    tnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>

    let s:options = get(g:, 'claude_ide', {})
    augroup claude_ide_start
      autocmd!
      " The user's own maps come first, and may still change <Leader>.
      if type(s:options) == v:t_dict && !empty(get(s:options, 'keys', 0))
        autocmd VimEnter * ++once call claude_ide#suggested_keys#Define()
      endif
      " Python starts after the first screen is drawn: it would delay that.
      if type(s:options) == v:t_dict && !empty(get(s:options, 'auto_start', 0))
        autocmd VimEnter * ++once call timer_start(0, {-> execute('ClaudeStart!')})
      endif
    augroup END
    unlet s:options
  endif

  let &cpo = s:cpo
  unlet s:cpo
endif
