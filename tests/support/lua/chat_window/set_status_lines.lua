vim.api.nvim_create_autocmd('WinEnter', {
  callback = function()
    vim.wo.statusline = 'of a plugin'
  end,
})
