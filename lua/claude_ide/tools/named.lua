--- Describes the files that a model's tool is given, so that the host can decide whether it may read them
--- (`mcp/reading.py`).
local buffers = require('claude_ide.file.buffers')
local file_path = require('claude_ide.file.path')
local folders = require('claude_ide.file.folders')
local path_gate = require('claude_ide.file.gate')
local unopened = require('claude_ide.diagnostics.unopened')

local M = {}

-- A buffer without a file is the user's own.
local function described(path, bufnr)
  local _, refusal = path_gate.existing(path or '')
  return {
    path = path or '',
    is_open = path == nil or (bufnr ~= nil and unopened.is_opened(bufnr)),
    refusal = refusal or '',
  }
end

local function of_file(each)
  local path = path_gate.absolute(each.file)
  local found = buffers.find(path)
  return described(path, found and found.bufnr)
end

local function of_buffer(each)
  local is_valid = vim.api.nvim_buf_is_valid(each.bufnr)
  return described(is_valid and file_path.path(each.bufnr) or nil, each.bufnr)
end

--- Answers the absolute `path` of each of the `files` and `buffers`; whether it `is_open`, that is, the user
--- has opened it, or it is no file; and the `refusal` of a path that no tool would read. Answers the working
--- `folders`, too.
---@type claude_ide.Tool
function M.describe(arguments, answer)
  local files = vim.tbl_map(of_file, arguments.files)
  vim.list_extend(files, vim.tbl_map(of_buffer, arguments.buffers))
  answer({ files = files, folders = folders.all() })
end

return M
