for _, win in ipairs(vim.api.nvim_list_wins()) do
  local bufnr = vim.api.nvim_win_get_buf(win)
  if vim.wo[win].diff and vim.bo[bufnr].buftype == 'acwrite' and vim.bo[bufnr].modifiable then
    return bufnr
  end
end
return false
