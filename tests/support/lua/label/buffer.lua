local label, options = ...
local bufnr = vim.api.nvim_create_buf(false, true)
require('claude_ide.window.label').give(bufnr, 'claude-text', label)
for name, value in pairs(options or {}) do
  vim.bo[bufnr][name] = value
end
return bufnr
