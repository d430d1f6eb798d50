local found = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buffer, window = vim.bo[vim.api.nvim_win_get_buf(win)], vim.wo[win]
  if buffer.filetype:find('^claude') then
    found[buffer.filetype] = {
      buffer.buftype,
      buffer.bufhidden,
      buffer.buflisted,
      buffer.swapfile,
      window.number,
      window.signcolumn,
      window.wrap,
      window.linebreak,
      window.breakindent,
      window.list,
      window.foldenable,
      window.winfixbuf,
    }
  end
end
return found
