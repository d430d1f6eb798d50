--- The current text of a reviewed file: that of its buffer, saved or not, else that on disk.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local reload = require('claude_ide.disk.reload')

local M = {}

local LARGEST = 4 * 1024 * 1024 -- bytes

local function exists(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type == 'file' and stat.size <= LARGEST
end

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

local function of_disk(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text and buffer_text.parse(text) or nil
end

--- The current text of a file. An unmodified buffer is updated first, if its file has been written.
---@param path string
---@return claude_ide.FileText? text nil if there is no file
---@return integer? bufnr if it is loaded
function M.of(path)
  local bufnr = buffers.loaded(path)
  if bufnr then
    reload.sync_one(bufnr)
  end
  if bufnr and (vim.bo[bufnr].modified or vim.uv.fs_stat(path)) then
    return of_buffer(bufnr), bufnr
  end
  return exists(path) and of_disk(path) or nil, bufnr
end

return M
