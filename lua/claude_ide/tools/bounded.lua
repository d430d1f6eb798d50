--- Bounds lines for the host, which shows the model less of each (`mcp/model/pages.py`).
local M = {}

local LONGEST = 2400 -- bytes; more than 500 characters

---@param line string
---@return string
function M.line(line)
  return #line > LONGEST and line:sub(1, LONGEST) or line
end

---@param lines string[]
---@return string[]
function M.lines(lines)
  return vim.tbl_map(M.line, lines)
end

return M
