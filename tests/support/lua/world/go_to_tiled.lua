for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  if vim.api.nvim_win_get_config(win).relative == '' then
    return pcall(vim.api.nvim_set_current_win, win)
  end
end
