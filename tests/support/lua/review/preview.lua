-- The lines of the float that shows a hunk.
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local bufnr = vim.api.nvim_win_get_buf(win)
  if vim.api.nvim_win_get_config(win).relative ~= '' and vim.bo[bufnr].filetype == 'diff' then
    return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  end
end
return {}
