local count = 0
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  count = count + (vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == 'two' and 1 or 0)
end
return count
