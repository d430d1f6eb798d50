local value = ...
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'text',
  callback = function()
    vim.bo.formatprg = value
  end,
})
