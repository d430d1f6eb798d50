--- Converts positions of Neovim's API to LSP positions: byte columns become UTF-16 code units. Both count
--- rows from 0. A byte column inside a character counts as its end.
local M = {}

---@class claude_ide.Position
---@field line integer
---@field character integer

---@param bufnr integer
---@param row integer
---@return string empty for a row outside the buffer
local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
end

--- The number of UTF-16 code units before a byte column; a column past the end counts as the end.
---@param text string
---@param col integer
---@return integer
function M.character(text, col)
  return vim.str_utfindex(text, 'utf-16', col, false)
end

--- Convert a position in a loaded buffer.
---@param bufnr integer 0 for the current one
---@param row integer 0-based
---@param col integer bytes, 0-based
---@return claude_ide.Position
function M.to_lsp(bufnr, row, col)
  return { line = row, character = M.character(line_at(bufnr, row), col) }
end

return M
