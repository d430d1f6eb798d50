--- The parts of a transcript: what begins at which line, wherever the text has moved to.
local M = {}

---@class claude_ide.ChatPart
---@field id integer
---@field kind string
---@field row integer where it begins
---@field age number milliseconds since it was first drawn as this kind

local namespace = vim.api.nvim_create_namespace('claude_ide_chat_part')

---@alias claude_ide.ChatParts table<integer, { kind: string, since: integer }>

local function read(parts, mark)
  local id = mark[1] - 1
  local known = parts[id]
  local age = (vim.uv.hrtime() - known.since) / 1e6
  return { id = id, kind = known.kind, row = mark[2], age = age }
end

---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param row integer
---@param id integer
---@param kind string
function M.set(bufnr, parts, row, id, kind)
  -- A mark's id must not be 0.
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { id = id + 1, strict = false })
  if not parts[id] or parts[id].kind ~= kind then
    parts[id] = { kind = kind, since = vim.uv.hrtime() }
  end
end

---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
function M.clear(bufnr, first, last)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, first, last)
end

--- The part that a row belongs to.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param row integer
---@return claude_ide.ChatPart?
function M.at(bufnr, parts, row)
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, { row, -1 }, 0, { limit = 1 })
  return marks[1] and read(parts, marks[1])
end

--- Rows at which parts of a kind begin, from one row on.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param kind string
---@param row integer this one excluded
---@param is_forward boolean
---@return integer[] the nearest first
function M.rows(bufnr, parts, kind, row, is_forward)
  local from = is_forward and { row + 1, 0 } or { row, 0 }
  local rows = {}
  if row == 0 and not is_forward then
    return rows
  end
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, from, is_forward and -1 or 0, {})
  for _, mark in ipairs(marks) do
    if parts[mark[1] - 1].kind == kind and mark[2] ~= row then
      rows[#rows + 1] = mark[2]
    end
  end
  return rows
end

return M
