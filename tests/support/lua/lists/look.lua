for _, win in ipairs(vim.api.nvim_list_wins()) do
  local bufnr = vim.api.nvim_win_get_buf(win)
  if vim.bo[bufnr].filetype == 'claude-list' then
    local bar = vim.api.nvim_eval_statusline(vim.wo[win].winbar, { winid = win, maxwidth = 200 })
    return { lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), title = bar.str }
  end
end
return vim.NIL
