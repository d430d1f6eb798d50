local names = vim.tbl_map(
  function(bufnr)
    return vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
  end,
  require('claude_ide.window.recent').sort(vim.tbl_filter(function(bufnr)
    return vim.api.nvim_buf_get_name(bufnr) ~= ''
  end, vim.api.nvim_list_bufs()))
)
return names
