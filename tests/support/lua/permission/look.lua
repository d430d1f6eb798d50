-- The float with a permission in the current tab page; nil if there is none.
for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local bufnr = vim.api.nvim_win_get_buf(win)
  if vim.bo[bufnr].filetype == 'claude-permission' then
    local config = vim.api.nvim_win_get_config(win)
    return {
      text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n'),
      title = config.title[1][1],
      footer = config.footer[1][1],
      is_inside = win == vim.api.nvim_get_current_win(),
      is_focusable = config.focusable,
      last_row = config.row + config.height + 1,
      last_column = config.col + config.width + 1,
      height = config.height,
    }
  end
end
