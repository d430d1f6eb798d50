--- What a file holds before it is written: which state that is, and what unsaved changes in its buffer
--- were made to.
local file_edit = require('claude_ide.file.edit')
local file_write = require('claude_ide.file.write')
local moment = require('claude_ide.when.moment')
local stamp = require('claude_ide.file.stamp')

local M = {}

--- What a file held before a write.
---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? string[] what its buffer's unsaved changes were made to, where that is known

---@param bufnr integer
---@return string[]
function M.lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- What the unsaved changes of a buffer were made to, where Neovim knows the file as it is.
local function saved_lines(bufnr)
  if not moment.is_possible() or file_write.has_changed(bufnr) then
    return nil
  end
  local text = file_edit.read(bufnr)
  return file_edit.in_buffer(text and text.lines or {})
end

--- What a loaded buffer's file holds now. An earlier text will do, since both the buffer and the file
--- have come from that.
---@param bufnr integer
---@param earlier? claude_ide.SavedText
---@return claude_ide.SavedText
function M.of(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = M.lines_of(bufnr)
  elseif earlier then
    lines = earlier.lines
  else
    lines = saved_lines(bufnr)
  end
  return { stamp = stamp.of_buffer(bufnr), lines = lines }
end

--- What a file held, if it holds something else now. An unmodified buffer still holds it.
---@param bufnr integer
---@param saved claude_ide.SavedText
---@return claude_ide.SavedText?
function M.before(bufnr, saved)
  if saved.stamp == stamp.of_buffer(bufnr) then
    return nil
  end
  local lines = saved.lines or not vim.bo[bufnr].modified and M.lines_of(bufnr) or nil
  return { stamp = saved.stamp, lines = lines }
end

return M
