local event = ...
local float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
  relative = 'editor',
  row = 1,
  col = 1,
  width = 9,
  height = 1,
})
vim.api.nvim_create_autocmd(event, {
  once = true,
  callback = function()
    vim.api.nvim_win_close(float, true)
  end,
})
