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

  " All are written out because that is how Vim reads them fastest. All commands have a range, which
  " most of them ignore: `:` in Visual mode inserts one.
  if empty(s:refusal)
    command! -range -nargs=* -complete=customlist,claude_ide#arguments#OfCli Claude
          \ call claude_ide#next_command#AfterArguments('claude_ide#session#Claude', <q-args>,
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar ClaudeFocus call claude_ide#terminal#ToggleFocus()
    command! -range -bar -bang ClaudeStart
          \ call claude_ide#session#Command('ClaudeStart', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang ClaudeStop
          \ call claude_ide#session#Command('ClaudeStop', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar ClaudeStatus
          \ call claude_ide#session#Command('ClaudeStatus', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar ClaudeAnswer
          \ call claude_ide#session#Command('ClaudeAnswer', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang ClaudeSend
          \ call claude_ide#session#Command('ClaudeSend', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang -nargs=+ -complete=customlist,claude_ide#arguments#OfAdd ClaudeAdd
          \ call claude_ide#session#Command('ClaudeAdd', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -nargs=? -complete=customlist,claude_ide#arguments#OfShare ClaudeShare
          \ call claude_ide#selection#Share(<q-args>)
    command! -range -bar -nargs=* -complete=customlist,claude_ide#arguments#OfTrust ClaudeTrust
          \ call claude_ide#session#Command('ClaudeTrust', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang -nargs=* -complete=customlist,claude_ide#arguments#OfMcpConfig ClaudeMcpConfig
          \ call claude_ide#session#Command('ClaudeMcpConfig', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -nargs=* -complete=customlist,claude_ide#arguments#OfWire ClaudeWire
          \ call claude_ide#session#Command('ClaudeWire', [<f-args>],
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang ClaudeAccept call claude_ide#decide#Accept(<bang>0)
    command! -range -nargs=* -bang ClaudeReject
          \ call claude_ide#next_command#AfterText('claude_ide#decide#Reject', <q-args>,
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -nargs=* -bang -complete=customlist,claude_ide#prompts#Complete ClaudeAsk
          \ call claude_ide#next_command#AfterText('claude_ide#session#Ask', <q-args>,
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -nargs=* -bang ClaudeEdit
          \ call claude_ide#next_command#AfterText('claude_ide#session#Edit', <q-args>,
          \ <range> ? [<line1>, <line2>] : [], <bang>0)
    command! -range -bar -bang ClaudeCommit call claude_ide#session#Commit(<bang>0)
    command! -range -bar -bang -nargs=? ClaudeInstall
          \ call claude_ide#host#install#Command(<q-args>, <bang>0)
    command! -range -bar ClaudeCheck call claude_ide#health#Check()
    command! -range -bar ClaudeDismiss call claude_ide#tools#showing#Dismiss()
    command! -range -bar ClaudeLog call claude_ide#log_window#Open()
    " What needs Neovim says so.
    command! -range -bar -bang -nargs=* ClaudeChanges call claude_ide#messages#message#NeedNeovim(':ClaudeChanges')
    command! -range -nargs=* ClaudeChat call claude_ide#messages#message#NeedNeovim(':ClaudeChat')
    command! -range -bang -nargs=* ClaudeComment call claude_ide#messages#message#NeedNeovim(':ClaudeComment')
    command! -range -bar ClaudeFix call claude_ide#messages#message#NeedNeovim(':ClaudeFix')
    command! -range -bar -nargs=* ClaudeKernel call claude_ide#messages#message#NeedNeovim(':ClaudeKernel')
    command! -range -bar -nargs=* ClaudeNew call claude_ide#messages#message#NeedNeovim(':ClaudeNew')
    command! -range -bar -nargs=? ClaudePrompt call claude_ide#messages#message#NeedNeovim(':ClaudePrompt')
    command! -range -bar -bang ClaudeSeen call claude_ide#messages#message#NeedNeovim(':ClaudeSeen')
    command! -range -bar -nargs=* ClaudeSwitch call claude_ide#messages#message#NeedNeovim(':ClaudeSwitch')
    command! -range -bar -nargs=* ClaudeTools call claude_ide#messages#message#NeedNeovim(':ClaudeTools')
    command! -range -bar -bang -nargs=1 ClaudeUninstall call claude_ide#messages#message#NeedNeovim(':ClaudeUninstall')

    nnoremap <Plug>(claude-toggle) <Cmd>Claude<CR>
    nnoremap <Plug>(claude-share) <Cmd>ClaudeShare toggle<CR>
    nnoremap <Plug>(claude-add) <Cmd>ClaudeAdd %<CR>
    nnoremap <Plug>(claude-dismiss) <Cmd>ClaudeDismiss<CR>
    nnoremap <Plug>(claude-answer) <Cmd>ClaudeAnswer<CR>
    nnoremap <Plug>(claude-commit) <Cmd>ClaudeCommit<CR>
    nnoremap <Plug>(claude-accept) <Cmd>ClaudeAccept<CR>
    nnoremap <Plug>(claude-reject) <Cmd>ClaudeReject<CR>
    nnoremap <Plug>(claude-accept-edits) <Cmd>call claude_ide#diff#AcceptEdits()<CR>
    nnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    xnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    inoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    tnoremap <Plug>(claude-focus) <Cmd>ClaudeFocus<CR>
    nnoremap <Plug>(claude-ask) <Cmd>ClaudeAsk<CR>
    xnoremap <silent> <Plug>(claude-ask) :ClaudeAsk<CR>
    nnoremap <Plug>(claude-edit) <Cmd>ClaudeEdit<CR>
    xnoremap <silent> <Plug>(claude-edit) :ClaudeEdit<CR>
    nnoremap <expr> <Plug>(claude-send) claude_ide#selection#mention#Operator()
    xnoremap <silent> <Plug>(claude-send) :ClaudeSend<CR>
    noremap <Plug>(claude-changes) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-changes)')<CR>
    noremap <Plug>(claude-chat) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-chat)')<CR>
    noremap <Plug>(claude-comment) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-comment)')<CR>
    noremap <Plug>(claude-fix) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-fix)')<CR>
    noremap <Plug>(claude-hunk-drop) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-hunk-drop)')<CR>
    noremap <Plug>(claude-hunk-next) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-hunk-next)')<CR>
    noremap <Plug>(claude-hunk-previous) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-hunk-previous)')<CR>
    noremap <Plug>(claude-hunk-take) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-hunk-take)')<CR>
    noremap <Plug>(claude-new) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-new)')<CR>
    noremap <Plug>(claude-prompt) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-prompt)')<CR>
    noremap <Plug>(claude-seen) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-seen)')<CR>
    noremap <Plug>(claude-switch) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-switch)')<CR>
    noremap <Plug>(claude-unseen-next) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-unseen-next)')<CR>
    noremap <Plug>(claude-unseen-previous) <Cmd>call claude_ide#messages#message#NeedNeovim('<lt>Plug>(claude-unseen-previous)')<CR>
  else
    for s:name in ['Claude', 'ClaudeFocus', 'ClaudeStart', 'ClaudeStop', 'ClaudeStatus',
          \ 'ClaudeAnswer', 'ClaudeSend', 'ClaudeAdd', 'ClaudeShare', 'ClaudeTrust',
          \ 'ClaudeMcpConfig', 'ClaudeWire', 'ClaudeAccept', 'ClaudeReject', 'ClaudeAsk',
          \ 'ClaudeEdit', 'ClaudeCommit', 'ClaudeInstall', 'ClaudeCheck', 'ClaudeDismiss',
          \ 'ClaudeLog', 'ClaudeChanges', 'ClaudeChat', 'ClaudeComment', 'ClaudeFix',
          \ 'ClaudeKernel', 'ClaudeNew', 'ClaudePrompt', 'ClaudeSeen', 'ClaudeSwitch',
          \ 'ClaudeTools', 'ClaudeUninstall']
      execute 'command! -range -nargs=* -bang' s:name 'echomsg' string(s:refusal)
    endfor
    for s:name in ['toggle', 'share', 'add', 'dismiss', 'answer', 'commit', 'accept', 'accept-edits', 'reject',
          \ 'focus', 'ask', 'edit', 'send', 'changes', 'chat', 'comment', 'fix', 'hunk-drop',
          \ 'hunk-next', 'hunk-previous', 'hunk-take', 'new', 'prompt', 'seen', 'switch',
          \ 'unseen-next', 'unseen-previous']
      execute 'noremap <Plug>(claude-' . s:name . ') :<C-U>echomsg' string(s:refusal) . '<CR>'
    endfor
  endif

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
      autocmd OptionSet autoread call claude_ide#file#disk#NoteTyped()
    augroup END
  endif

  let &cpo = s:cpo
  unlet s:cpo
endif
