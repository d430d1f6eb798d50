local bufnr = vim.api.nvim_create_buf(false, true)
vim.api.nvim_open_win(bufnr, false, {
  relative = 'editor',
  row = 1,
  col = 1,
  width = 9,
  height = 1,
  focusable = false,
})
