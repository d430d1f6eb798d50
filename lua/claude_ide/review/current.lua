--- The current text of a reviewed file: that of its buffer, saved or not, else that on disk.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local file_path = require('claude_ide.file.path')
local reload = require('claude_ide.disk_changes.reload')
local review_hunks = require('claude_ide.review.hunks')

local M = {}

local function of_buffer(bufnr)
  local options = vim.bo[bufnr]
  local text = buffer_text.get(bufnr)
  return {
    lines = text == '' and {} or vim.api.nvim_buf_get_lines(bufnr, 0, -1, true),
    fileformat = options.fileformat,
    bomb = options.bomb,
    endofline = options.endofline,
  }
end

--- The current text of a file. An unmodified buffer is updated first, if its file has been written.
---@param path string
---@return claude_ide.FileText? text nil if there is no file
---@return integer? bufnr if it is loaded
function M.of(path)
  -- The reviewed texts are those on disk.
  local bufnr = not file_path.needs_plugin(path) and buffers.loaded(path) or nil
  if bufnr then
    reload.sync_one(bufnr)
  end
  if bufnr and (vim.bo[bufnr].modified or vim.uv.fs_stat(path)) then
    return of_buffer(bufnr), bufnr
  end
  return buffer_text.read(path), bufnr
end

--- Compare the reviewed texts of a file with its current text.
---@param file claude_ide.ReviewFile
---@return claude_ide.ReviewComparison
function M.compared(file)
  local comparison = review_hunks.compare(file, (M.of(file.path)))
  -- Opening a file with some names would run commands of a plugin.
  local _, refusal = file_path.check(file.path)
  comparison.refusal = refusal
  return comparison
end

return M
