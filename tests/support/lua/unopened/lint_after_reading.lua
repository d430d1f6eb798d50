vim.api.nvim_create_autocmd('BufReadPost', {
  callback = vim.schedule_wrap(function()
    require('lint').try_lint()
    _G.is_debounced = true
  end),
})
