_G.written = 0
vim.api.nvim_create_autocmd({ 'User', 'FileChangedShellPost' }, {
  callback = function()
    _G.written = _G.written + 1
  end,
})
