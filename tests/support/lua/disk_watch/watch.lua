_G.touched = {}
require('claude_ide.disk.watch').start(function(bufnr)
  _G.touched[vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))] = true
end)
