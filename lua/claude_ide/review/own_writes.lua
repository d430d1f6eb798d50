--- Files that the user writes in Neovim, which an agent's command has not changed.
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')

local M = {}

local written = {} ---@type table<string, string> stamps by real path

--- Start to note the user's writes.
function M.watch()
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = vim.api.nvim_create_augroup('claude_ide_own_writes', { clear = true }),
    callback = function(event)
      local path = vim.uv.fs_realpath(event.match)
      if path then
        written[path] = disk.stamp(path)
        channel.emit('review_saved', { path = path })
      end
    end,
  })
end

--- Those of the files that the user was the last to write.
---@param paths string[] real paths
---@return string[]
function M.among(paths)
  return vim.tbl_filter(function(path)
    return written[path] == disk.stamp(path)
  end, paths)
end

return M
