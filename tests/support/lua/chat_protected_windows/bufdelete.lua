local bufnr = vim.api.nvim_get_current_buf()
local other = vim.fn.bufnr('a.txt')
for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
  vim.api.nvim_win_set_buf(win, other)
end
vim.cmd('bdelete! ' .. bufnr)
