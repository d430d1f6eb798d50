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

  " All commands have a range, which most of them ignore: `:` in Visual mode inserts one.
  let s:lines = '<range> ? [<line1>, <line2>] : [], <bang>0)'
  " With their attributes.
  let s:of_host = {
        \ 'ClaudeStart': '-bar -bang', 'ClaudeStop': '-bar -bang', 'ClaudeStatus': '-bar', 'ClaudeAnswer': '-bar',
        \ 'ClaudeSend': '-bar -bang',
        \ 'ClaudeAdd': '-bar -bang -nargs=+ -complete=customlist,claude_ide#arguments#OfAdd',
        \ 'ClaudeTrust': '-bar -nargs=* -complete=customlist,claude_ide#arguments#OfWords',
        \ 'ClaudeMcpConfig': '-bar -bang -nargs=* -complete=customlist,claude_ide#arguments#OfWords',
        \ 'ClaudeReview': '-bar -bang -nargs=* -complete=customlist,claude_ide#arguments#OfReview',
        \ 'ClaudeChanges': '-bar -bang -nargs=* -complete=customlist,claude_ide#arguments#OfReview',
        \ 'ClaudeKeep': '-bar -bang -nargs=? -complete=customlist,claude_ide#arguments#OfWords',
        \ 'ClaudeRevert': '-bar -bang -nargs=? -complete=customlist,claude_ide#arguments#OfWords',
        \ 'ClaudeWhy': '-bar',
        \ 'ClaudeWire': '-bar -nargs=* -complete=customlist,claude_ide#arguments#OfWords',
        \ }
  " Those whose arguments, such as names, may be quoted.
  let s:named = {
        \ 'Claude': '-complete=customlist,claude_ide#arguments#OfCli',
        \ 'ClaudeMerge': '-complete=customlist,claude_ide#arguments#OfWorktrees', 'ClaudeSessions': '-bang',
        \ }
  let s:with_text = {
        \ 'ClaudeReject': ['-bang', 'decide#Reject'], 'ClaudeComment': ['-bang', 'session#Comment'],
        \ 'ClaudeBackground': ['-bang -complete=customlist,claude_ide#arguments#OfPrompts', 'session#Background'],
        \ 'ClaudeAsk': ['-bang -complete=customlist,claude_ide#arguments#OfPrompts', 'session#Ask'],
        \ 'ClaudeEdit': ['-bang -complete=customlist,claude_ide#arguments#OfPrompts', 'session#Edit'],
        \ 'ClaudeType': ['-bang -complete=customlist,claude_ide#arguments#OfPrompts', 'sending#Type'],
        \ }
  let s:others = {
        \ 'ClaudeShare': ['-nargs=? -complete=customlist,claude_ide#arguments#OfWords', 'selection#Share(<q-args>)'],
        \ 'ClaudeAccept': ['-bang', 'decide#Accept(<bang>0)'],
        \ 'ClaudeCommit': ['-bang -nargs=? -complete=customlist,claude_ide#arguments#OfAgents', 'session#Commit(<q-args>, <bang>0)'],
        \ 'ClaudeInstall': ['-bang -nargs=?', 'host#install#Command(<q-args>, <bang>0)'],
        \ 'ClaudeDismiss': ['', 'tools#showing#Dismiss()'],
        \ 'ClaudeFix': ['', 'sending#Fix(<range> ? [<line1>, <line2>] : [])'],
        \ }
  let s:windows = {'ClaudeCheck': 'health#Check', 'ClaudeFocus': 'terminal#ToggleFocus', 'ClaudeLog': 'log_window#Open'}
  " What needs Neovim says so.
  let s:lacking = {
        \ 'ClaudeChat': '-nargs=*',
        \ 'ClaudeKernel': '-bar -nargs=*', 'ClaudeNew': '-nargs=*',
        \ 'ClaudePrompt': '-bar -nargs=?', 'ClaudeSwitch': '-nargs=*',
        \ 'ClaudeTools': '-bar -nargs=*', 'ClaudeUninstall': '-bar -bang -nargs=1',
        \ }
  let s:lacking_maps = ['chat', 'hunk-drop', 'hunk-take', 'new', 'prompt', 'switch']
  let s:maps = {
        \ 'toggle': 'Claude', 'share': 'ClaudeShare toggle', 'add': 'ClaudeAdd %', 'dismiss': 'ClaudeDismiss',
        \ 'answer': 'ClaudeAnswer', 'commit': 'ClaudeCommit', 'accept': 'ClaudeAccept', 'reject': 'ClaudeReject',
        \ 'accept-edits': 'call claude_ide#diff#AcceptEdits()', 'focus': 'ClaudeFocus', 'ask': 'ClaudeAsk',
        \ 'edit': 'ClaudeEdit', 'changes': 'ClaudeReview', 'sessions': 'ClaudeSessions', 'hunk-show': 'call claude_ide#reviewing#Show()',
        \ 'file-keep': 'ClaudeKeep!', 'file-revert': 'ClaudeRevert!',
        \ 'why': 'ClaudeWhy', 'fix': 'ClaudeFix',
        \ }
  if empty(s:refusal)
    for [s:name, s:attributes] in items(s:of_host)
      execute 'command! -range' s:attributes s:name 'call claude_ide#session#Command('
            \ . string(s:name) . ', [<f-args>],' s:lines
    endfor
    for [s:name, s:attributes] in items(s:named)
      execute 'command! -range -nargs=*' s:attributes s:name 'call claude_ide#next_command#AfterArguments('
            \ . "function('claude_ide#session#Command', " . string([s:name]) . '), <q-args>,' s:lines
    endfor
    for [s:name, s:rest] in items(s:with_text)
      execute 'command! -range -nargs=*' s:rest[0] s:name 'call claude_ide#next_command#AfterText('
            \ . string('claude_ide#' . s:rest[1]) . ', <q-args>,' s:lines
    endfor
    for [s:name, s:rest] in items(s:others)
      execute 'command! -range -bar' s:rest[0] s:name 'call claude_ide#' . s:rest[1]
    endfor
    for [s:name, s:function] in items(s:windows)
      execute 'command! -range -bar' s:name
            \ 'if claude_ide#ready#MayOpen() | call claude_ide#' . s:function . '() | endif'
    endfor
    for [s:name, s:attributes] in items(s:lacking)
      execute 'command! -range' s:attributes s:name 'call claude_ide#next_command#AfterArguments('
            \ . '{-> claude_ide#messages#message#NeedNeovim(' . string(':' . s:name) . ')}, <q-args>, [], 0)'
    endfor
    for [s:name, s:command] in items(s:maps)
      execute 'nnoremap <Plug>(claude-' . s:name . ') <Cmd>' . s:command . '<CR>'
    endfor
    for s:mode in ['x', 'i', 't']
      execute s:mode . 'noremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>'
    endfor
    xnoremap <silent> <Plug>(claude-ask) :ClaudeAsk<CR>
    xnoremap <silent> <Plug>(claude-edit) :ClaudeEdit<CR>
    xnoremap <silent> <Plug>(claude-fix) :ClaudeFix<CR>
    nnoremap <expr> <Plug>(claude-send) claude_ide#mentions#Operator()
    xnoremap <silent> <Plug>(claude-send) :ClaudeSend<CR>
    nnoremap <expr> <Plug>(claude-type) claude_ide#sending#Operator()
    xnoremap <expr> <Plug>(claude-type) claude_ide#sending#Operator()
    for s:mode in ['n', 'x', 'o']
      execute s:mode . 'noremap <Plug>(claude-hunk-next) <Cmd>call claude_ide#reviewing#Move(1)<CR>'
      execute s:mode . 'noremap <Plug>(claude-hunk-previous) <Cmd>call claude_ide#reviewing#Move(-1)<CR>'
    endfor
    for s:mode in ['n', 'x']
      execute s:mode . "noremap <expr> <Plug>(claude-hunk-keep) claude_ide#reviewing#Operator('ClaudeKeep')"
      execute s:mode . "noremap <expr> <Plug>(claude-hunk-revert) claude_ide#reviewing#Operator('ClaudeRevert')"
    endfor
    nnoremap <Plug>(claude-comment) <Cmd>ClaudeComment<CR>
    xnoremap <silent> <Plug>(claude-comment) :ClaudeComment<CR>
    for s:name in s:lacking_maps
      execute 'noremap <Plug>(claude-' . s:name . ') <Cmd>call claude_ide#messages#message#NeedNeovim('
            \ . string('<lt>Plug>(claude-' . s:name . ')') . ')<CR>'
    endfor
  else
    for s:name in keys(s:of_host) + keys(s:named) + keys(s:with_text) + keys(s:others) + keys(s:windows) + keys(s:lacking)
      execute 'command! -range -nargs=* -bang' s:name 'echomsg' string(s:refusal)
    endfor
    for s:name in keys(s:maps) + s:lacking_maps + ['send', 'type']
      execute 'noremap <Plug>(claude-' . s:name . ') :<C-U>echomsg' string(s:refusal) . '<CR>'
    endfor
  endif

  " What the options start.
  function s:Begin() abort
    call timer_start(0, {-> claude_ide#reviewing#Watch()})
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
      autocmd OptionSet autoread call claude_ide#file#disk#NoteTyped()
    augroup END
  endif

  let &cpo = s:cpo
  unlet s:cpo
endif
