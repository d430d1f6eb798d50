_G.entered = {}
vim.api.nvim_create_autocmd('BufEnter', {
  callback = function(event)
    table.insert(_G.entered, vim.fs.basename(event.file))
  end,
})
