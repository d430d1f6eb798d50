local found = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local config = vim.api.nvim_win_get_config(win)
  if config.relative == 'win' then
    found[#found + 1] = {
      win = win,
      lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false),
      focusable = config.focusable,
      width = config.width,
      height = config.height,
    }
  end
end
return found
