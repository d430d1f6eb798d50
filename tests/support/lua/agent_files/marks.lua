-- Returns where the marks, the cursor, the fold and the first line of the window are now.
local namespace = vim.api.nvim_create_namespace('test')
return {
  mark = vim.api.nvim_buf_get_mark(0, 'a'),
  extmark = vim.api.nvim_buf_get_extmark_by_id(0, namespace, _G.extmark, {}),
  cursor = vim.api.nvim_win_get_cursor(0),
  folded = vim.fn.foldclosed(155),
  first = vim.fn.line('w0'),
}
