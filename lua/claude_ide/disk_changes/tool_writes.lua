--- Files that a use of an agent's tool has changed, as the tool reports it: also files that are not open, and
--- those that a shell command has changed.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local file_edit = require('claude_ide.file.edit')
local reload = require('claude_ide.disk_changes.reload')
local report = require('claude_ide.disk_changes.report')
local unseen = require('claude_ide.unseen')

local M = {}

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- Whether a buffer has got what a tool has changed. Unsaved changes may be based on an older text.
---@param text claude_ide.FileText on disk
---@param hunks claude_ide.ChangedHunk[]
local function holds(bufnr, text, hunks)
  local encoding = vim.bo[bufnr].fileencoding
  if reload.is_behind(bufnr) then
    return false
  elseif encoding ~= '' and encoding ~= 'utf-8' then
    return true
  elseif vim.bo[bufnr].modified then
    return unseen.are_in(lines_of(bufnr), text.lines, hunks)
  end
  return vim.deep_equal(lines_of(bufnr), file_edit.in_buffer(text.lines))
end

---@param file claude_ide.ChangedFile
local function take(file)
  local text, bufnr = buffer_text.read(file.path), buffers.loaded(file.path)
  if report.take_accepted(file.path) or not file.hunks then
    return
  elseif not text then
    unseen.deleted(file.path)
  elseif not bufnr or not holds(bufnr, text, file.hunks) then
    unseen.changed_on_disk(file.path, text.lines, file.hunks)
  elseif not unseen.has_handled(bufnr) then
    unseen.changed_in(bufnr, file.hunks)
  end
end

--- Follow what a use of a tool has changed.
---@param files claude_ide.ChangedFile[]
function M.reported(files)
  if unseen.is_on() then
    vim.iter(files):each(take)
  end
end

return M
