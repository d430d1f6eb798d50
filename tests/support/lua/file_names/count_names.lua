local path = ...
local get, asked = vim.api.nvim_buf_get_name, 0
vim.api.nvim_buf_get_name = function(...)
  asked = asked + 1
  return get(...)
end
local found = require('claude_ide.file.buffers').find(path)
vim.api.nvim_buf_get_name = get
return { found and found.bufnr or false, asked }
