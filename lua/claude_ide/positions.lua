--- Where Vim's positions and LSP's meet: bytes on one side, UTF-16 code units on the other. Both
--- count rows from 0, as the API does; a byte column inside a character counts as its end.
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

--- Bytes before a UTF-16 code unit; one past the end counts as the end.
---@param text string
---@param character integer
---@return integer
function M.col(text, character)
  return vim.str_byteindex(text, 'utf-16', character, false)
end

---@param bufnr integer 0 for the current one
---@param row integer
---@param col integer
---@return claude_ide.Position
function M.to_lsp(bufnr, row, col)
  return { line = row, character = M.character(line_at(bufnr, row), col) }
end

--- The row and column that a position means; one past the end of the buffer means its end.
---@param bufnr integer 0 for the current one
---@param position claude_ide.Position
---@return integer row
---@return integer col
function M.from_lsp(bufnr, position)
  local count = vim.api.nvim_buf_line_count(bufnr)
  if position.line >= count then
    return count - 1, #line_at(bufnr, count - 1)
  end
  return position.line, M.col(line_at(bufnr, position.line), position.character)
end

return M
