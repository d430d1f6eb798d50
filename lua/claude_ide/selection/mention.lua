--- What the host needs to mention a file, a folder or lines of a file (`editor/mentions.py`), and how the
--- user types a mention.
local buffers = require('claude_ide.file.buffers')

local M = {}

--- The lines of a file in its buffer; 0 if it is not loaded.
---@type fun(path: string): integer
function M.line_count(path)
  local buffer = buffers.find(path)
  return buffer and buffer.loaded and vim.api.nvim_buf_line_count(buffer.bufnr) or 0
end

--- Send the lines that an operator or a Visual selection covers; for 'operatorfunc'.
function M.send()
  vim.cmd("'[,']ClaudeSend")
end

--- Start the operator that mentions lines; for an `<expr>` map in Normal or Visual mode.
---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'claude_ide.selection.mention'.send"
  return 'g@'
end

return M
