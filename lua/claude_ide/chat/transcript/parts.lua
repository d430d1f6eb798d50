--- The parts of a transcript, each with a mark that moves with the text.
local M = {}

---@class claude_ide.ChatPart: claude_ide.ChatPartState
---@field id integer
---@field row integer first row
---@field age number milliseconds since `since`

local namespace = vim.api.nvim_create_namespace('claude_ide_chat_part')

---@type table<integer, table<claude_ide.ChatPartState, true>> by window: what is recorded there as drawn
local shown = {}

---@alias claude_ide.ChatParts table<integer, claude_ide.ChatPartState> by id

---@class claude_ide.ChatPartState
---@field kind string
---@field since integer nanoseconds: when it was first drawn as this kind, or last presented
---@field is_changed boolean whether it was of another kind before
---@field is_presented boolean whether the user was moved to its beginning while it was of this kind
---@field drawn table<integer, integer> by window: since when it is on the screen there, in nanoseconds

---@param parts claude_ide.ChatParts
---@param id integer
---@param row integer
---@return claude_ide.ChatPart
local function read(parts, id, row)
  local known = parts[id]
  local age = (vim.uv.hrtime() - known.since) / 1e6
  local part = vim.tbl_extend('error', known, { id = id, row = row, age = age })
  return part --[[@as claude_ide.ChatPart]]
end

--- Set a part's row and kind.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param row integer
---@param id integer
---@param kind string
function M.set(bufnr, parts, row, id, kind)
  -- A mark's id must not be 0.
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { id = id + 1, strict = false })
  local known = parts[id]
  if not known or known.kind ~= kind then
    local is_changed = known ~= nil
    local since = vim.uv.hrtime()
    parts[id] =
      { kind = kind, since = since, is_changed = is_changed, is_presented = false, drawn = {} }
  end
end

--- Remove the marks of the parts that begin in these rows.
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
  return marks[1] and read(parts, marks[1][1] - 1, marks[1][2])
end

--- A part by its id.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param id integer
---@return claude_ide.ChatPart?
function M.find(bufnr, parts, id)
  local mark = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, id + 1, {})
  return mark[1] and read(parts, id, mark[1])
end

--- The last row of a part, without a blank line between it and the next part.
---@param bufnr integer
---@param part claude_ide.ChatPart
---@return integer
function M.last_row(bufnr, part)
  local from = { part.row + 1, 0 }
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, from, -1, { limit = 1 })
  local beyond = marks[1] and marks[1][2] or vim.api.nvim_buf_line_count(bufnr)
  local last = vim.api.nvim_buf_get_lines(bufnr, beyond - 1, beyond, false)[1]
  return last == '' and beyond - 2 or beyond - 1
end

--- Note which parts a window has just shown. Only those of a kind that `counts` are recorded.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param win integer
---@param first integer row
---@param last integer row, end-inclusive
---@param counts fun(kind: string): boolean
function M.mark_drawn(bufnr, parts, win, first, last, counts)
  local visible = {}
  local above = M.at(bufnr, parts, first)
  local begin = above and above.row or first
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, { begin, 0 }, { last, -1 }, {})
  for _, mark in ipairs(marks) do
    local part = parts[mark[1] - 1]
    if part and counts(part.kind) then
      visible[part] = true
      part.drawn[win] = part.drawn[win] or vim.uv.hrtime()
    end
  end
  for part in pairs(shown[win] or {}) do
    if not visible[part] then
      part.drawn[win] = nil
    end
  end
  shown[win] = next(visible) and visible or nil
end

--- A window shows the transcript again: what it showed before counts no more.
---@param win integer
function M.forget_drawn(win)
  for part in pairs(shown[win] or {}) do
    part.drawn[win] = nil
  end
  shown[win] = nil
end

--- Note that the user was moved to the beginning of a part.
---@param parts claude_ide.ChatParts
---@param id integer
function M.mark_presented(parts, id)
  parts[id].since, parts[id].is_presented = vim.uv.hrtime(), true
end

--- The rows after or before a row at which parts of a kind begin.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param kind string
---@param row integer excluded
---@param is_forward boolean
---@return integer[] rows nearest first
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
