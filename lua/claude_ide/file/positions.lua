--- Vim's positions in LSP's words: bytes become UTF-16 code units. Both count rows from 0, as the
--- API does; a byte column inside a character counts as its end.
local M = {}

---@class claude_ide.Position
---@field line integer
---@field character integer

---@param bufnr integer
---@param row integer
---@return string empty for a row that the buffer does not have
local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
end

--- UTF-16 code units before a byte column; a column past the end counts as the end.
---@param text string
---@param col integer
---@return integer
function M.character(text, col)
  return vim.str_utfindex(text, 'utf-16', col, false)
end

---@param bufnr integer 0 for the current one
---@param row integer
---@param col integer
---@return claude_ide.Position
function M.to_lsp(bufnr, row, col)
  return { line = row, character = M.character(line_at(bufnr, row), col) }
end

return M
