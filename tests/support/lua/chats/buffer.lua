for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[bufnr].filetype == 'claude-' .. ... then
    return bufnr
  end
end
