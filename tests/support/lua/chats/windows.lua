local found = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local filetype = vim.bo[vim.api.nvim_win_get_buf(win)].filetype
  if filetype:find('^claude%-') then
    found[#found + 1] = {
      win = win,
      kind = filetype:sub(8),
      tabpage = vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win)),
      width = vim.api.nvim_win_get_width(win),
      height = vim.api.nvim_win_get_height(win),
      cursor = vim.api.nvim_win_get_cursor(win),
      top = vim.fn.line('w0', win),
      bottom = vim.fn.line('w$', win),
      float = vim.api.nvim_win_get_config(win).relative ~= '',
    }
  end
end
return found
