--- Converts one of Neovim's diagnostics to the form of LSP.
local positions = require('claude_ide.file.positions')

local M = {}

local SEVERITIES = { 'Error', 'Warning', 'Info', 'Hint' }

---@class claude_ide.DiagnosticItem
---@field message string
---@field severity 'Error'|'Warning'|'Info'|'Hint'
---@field range { start: claude_ide.Position, end: claude_ide.Position }
---@field source? string
---@field code? string|number

local function position(text_of, row, col)
  row, col = math.max(row, 0), math.max(col, 0)
  local text = text_of(row)
  return { line = row, character = text and positions.character(text, col) or col }
end

-- Nil for other values: a null of a language server is `vim.NIL`.
local function scalar(value)
  return (type(value) == 'string' or type(value) == 'number') and value or nil
end

--- Convert a diagnostic.
---@param diagnostic vim.Diagnostic
---@param text_of fun(row: integer): string? nil if the text is not known; then bytes count as characters
---@return claude_ide.DiagnosticItem
function M.of(diagnostic, text_of)
  local lnum, col = diagnostic.lnum, diagnostic.col
  return {
    message = scalar(diagnostic.message) and tostring(diagnostic.message) or '',
    severity = SEVERITIES[diagnostic.severity],
    range = {
      start = position(text_of, lnum, col),
      ['end'] = position(text_of, diagnostic.end_lnum or lnum, diagnostic.end_col or col),
    },
    source = scalar(diagnostic.source),
    code = scalar(diagnostic.code),
  }
end

return M
