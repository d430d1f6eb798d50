local bufnr = vim.api.nvim_get_current_buf()
for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
  vim.api.nvim_win_call(win, function()
    vim.cmd.buffer('#')
  end)
end
if vim.api.nvim_buf_is_valid(bufnr) then
  vim.cmd.bdelete(bufnr)
end
