--- The signs in a buffer. Each stays only as long as its line has the text that the agent wrote.
local highlights = require('claude_ide.highlights')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_unseen')

local MOST = 10000 -- signs of one buffer
-- Above those of gitsigns, which mark the same lines and stay; below those of diagnostics.
local PRIORITY = 8
---@type table<claude_ide.WrittenKind, { [1]: string, [2]: string }> sign and highlight group
local LOOKS = {
  written = { '▎', 'ClaudeIdeUnseen' },
  removed = { '▁', 'ClaudeIdeUnseenRemoved' },
  removed_above = { '▔', 'ClaudeIdeUnseenRemoved' },
}

---@class claude_ide.UnseenMark
---@field kind claude_ide.WrittenKind
---@field text string of its lines

---@type table<integer, table<integer, claude_ide.UnseenMark>> by buffer, then by extmark
local known = {}

-- A removal shows between two lines.
---@return string?
local function text_at(bufnr, row, kind)
  local lines = api.nvim_buf_get_lines(bufnr, row, row + (kind == 'removed' and 2 or 1), false)
  if kind == 'removed_above' and row > 0 then
    return nil
  end
  return #lines > 0 and table.concat(lines, '\n') or nil
end

-- Extmarks in rows, in their order: number, row and column of each.
---@param first integer
---@param last integer exclusive; -1 for the end
local function in_rows(bufnr, first, last, limit)
  local stop = last == -1 and -1 or { last - 1, -1 }
  return api.nvim_buf_get_extmarks(bufnr, namespace, { first, 0 }, stop, { limit = limit })
end

local function delete(bufnr, id)
  known[bufnr][id] = nil
  api.nvim_buf_del_extmark(bufnr, namespace, id)
end

local function place(bufnr, row, kind)
  local looks = LOOKS[kind]
  local id = api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
    sign_text = looks[1],
    sign_hl_group = looks[2],
    priority = PRIORITY,
    undo_restore = false,
    invalidate = true,
  })
  known[bufnr][id] = { kind = kind, text = text_at(bufnr, row, kind) or '' }
end

--- Whether a row has a sign. It is called for each key that moves the cursor.
---@param bufnr integer
---@param row integer
---@return boolean
function M.has(bufnr, row)
  return in_rows(bufnr, row, row + 1, 1)[1] ~= nil
end

--- Put signs at rows.
---@param bufnr integer loaded
---@param rows claude_ide.WrittenRows
function M.add(bufnr, rows)
  if not known[bufnr] then
    known[bufnr] = {}
    highlights.define()
  end
  local count = api.nvim_buf_line_count(bufnr)
  local remaining = MOST - #in_rows(bufnr, 0, -1)
  for row, kind in vim.spairs(rows) do
    local present = in_rows(bufnr, row, row + 1)
    local is_kept = kind ~= 'written' and #present > 0
    if row < count and remaining > 0 and not is_kept then
      for _, mark in ipairs(present) do
        delete(bufnr, mark[1])
      end
      place(bufnr, row, kind)
      remaining = remaining - 1
    end
  end
end

--- Remove the signs from rows.
---@param bufnr integer
---@param first integer
---@param last integer exclusive; -1 for the end
---@return integer count of removed signs
function M.remove(bufnr, first, last)
  local marks = known[bufnr] and in_rows(bufnr, first, last) or {}
  for _, mark in ipairs(marks) do
    delete(bufnr, mark[1])
  end
  return #marks
end

--- Remove the signs from those rows whose lines have changed.
---@param bufnr integer loaded
---@param first integer
---@param last integer exclusive
function M.check(bufnr, first, last)
  for _, mark in ipairs(in_rows(bufnr, first, last)) do
    local id, row = mark[1], mark[2]
    local ours = known[bufnr][id]
    if not ours or ours.text ~= text_at(bufnr, row, ours.kind) then
      delete(bufnr, id)
    end
  end
end

--- The rows with signs.
---@param bufnr integer
---@return claude_ide.WrittenRows
function M.rows(bufnr)
  local rows = {}
  for _, mark in ipairs(known[bufnr] and in_rows(bufnr, 0, -1) or {}) do
    rows[mark[2]] = known[bufnr][mark[1]].kind
  end
  return rows
end

--- Whether a buffer has no sign.
---@param bufnr integer
---@return boolean
function M.is_empty(bufnr)
  return not known[bufnr] or in_rows(bufnr, 0, -1, 1)[1] == nil
end

--- Forget the signs of a buffer: it has none, or is being unloaded.
---@param bufnr integer
function M.forget(bufnr)
  known[bufnr] = nil
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- The buffers with signs.
---@return integer[]
function M.buffers()
  return vim.tbl_filter(api.nvim_buf_is_loaded, vim.tbl_keys(known))
end

return M
