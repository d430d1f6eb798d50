" Stands for ALE, with its defaults for when it checks.
let g:ale_enabled = get(g:, 'ale_enabled', 1)
let g:ale_lint_on_save = get(g:, 'ale_lint_on_save', v:true)
let g:ale_lint_on_enter = get(g:, 'ale_lint_on_enter', v:true)
let g:ale_use_neovim_diagnostics_api = get(g:, 'ale_use_neovim_diagnostics_api', v:true)
let g:ale_buffer_info = {}
let g:ale_runs = []

command! ALELint call ale#Queue(0, 'lint_file')

function! s:OnFileChanged(buffer) abort
  if g:ale_lint_on_enter && bufnr('') == a:buffer
    call ale#Queue(0, 'lint_file', a:buffer)
  endif
endfunction

augroup ALEEvents
  autocmd!
  autocmd FileChangedShellPost * call s:OnFileChanged(str2nr(expand('<abuf>')))
augroup END
