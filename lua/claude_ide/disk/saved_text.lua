--- The state of a file before a write, and the text that its buffer's unsaved changes are based on.
local file_edit = require('claude_ide.file.edit')
local file_write = require('claude_ide.file.write')
local moment = require('claude_ide.when.moment')
local packed_lines = require('claude_ide.file.packed_lines')
local stamp = require('claude_ide.file.stamp')

local M = {}

---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? claude_ide.PackedLines the text that the buffer's unsaved changes are based on, if known

---@param bufnr integer
---@return string[]
function M.lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- The text that a buffer's unsaved changes are based on: that on disk, unless it has changed since.
local function saved_lines(bufnr)
  if not moment.is_possible() or file_write.has_changed(bufnr) then
    return nil
  end
  local text = file_edit.read(bufnr)
  return packed_lines.of_lines(file_edit.in_buffer(text and text.lines or {}))
end

--- The current state of a loaded buffer's file.
---@param bufnr integer
---@param earlier? claude_ide.SavedText its lines also serve as the base: buffer and file derive from it
---@return claude_ide.SavedText
function M.of(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = packed_lines.of(bufnr)
  elseif earlier then
    lines = earlier.lines
  else
    lines = saved_lines(bufnr)
  end
  return { stamp = stamp.of_buffer(bufnr), lines = lines }
end

--- The earlier state of a file, if the file has changed since. An unmodified buffer still has that text.
---@param bufnr integer
---@param saved claude_ide.SavedText
---@return claude_ide.SavedText?
function M.before(bufnr, saved)
  if saved.stamp == stamp.of_buffer(bufnr) then
    return nil
  end
  local lines = saved.lines or not vim.bo[bufnr].modified and packed_lines.of(bufnr) or nil
  return { stamp = saved.stamp, lines = lines }
end

return M
