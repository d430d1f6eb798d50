return vim.tbl_map(function(hunk)
  return hunk.now
end, require('claude_ide.diff.hunks').list(vim.api.nvim_get_current_buf()))
