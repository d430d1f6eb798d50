-- Sets the mark `a` and an extended mark at a position.
local row, column = ...
vim.api.nvim_buf_set_mark(0, 'a', row + 1, column, {})
_G.extmark = vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('test'), row, column, {})
