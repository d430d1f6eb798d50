return vim.tbl_map(function(win)
  local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
  return (vim.fs.basename(name):gsub('%d+$', ''))
end, vim.api.nvim_tabpage_list_wins(0))
