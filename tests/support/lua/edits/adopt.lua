local edit = require('claude_ide.file.edit')
local bufnr = ... or vim.api.nvim_get_current_buf()
local text = edit.read(bufnr)
if text then
  edit.adopt(bufnr, text)
end
return text ~= nil
