local focusable = ...
return vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
  relative = 'editor',
  row = 1,
  col = 1,
  width = 9,
  height = 1,
  focusable = focusable,
})
