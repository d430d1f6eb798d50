vim.api.nvim_create_autocmd({ 'FileChangedShellPost', 'User' }, {
  callback = function()
    error('no such luck')
  end,
})
