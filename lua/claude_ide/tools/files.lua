--- The model's questions about working folders, and its wish to save a file.
local buffers = require('claude_ide.file.buffers')
local folders = require('claude_ide.file.folders')

local M = {}

--- The working folders, the current one first.
---@type claude_ide.Tool
function M.folders(_, answer)
  local current = buffers.folder()
  local others = vim.tbl_filter(function(folder)
    return folder ~= current
  end, folders.all())
  answer({ folders = { current, unpack(others) } })
end

--- Write a file's buffer as `:write` does.
---@type claude_ide.Tool
function M.save(arguments, answer)
  answer(buffers.save(arguments.file))
end

return M
