--- What `:mksession` brings back of the plugin's windows: empty buffers with the names of old ones.
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

-- A buffer of the plugin's own is not one of a file.
local function is_leftover(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return name:find('^claude%-%l+://') ~= nil and vim.bo[bufnr].buftype == ''
end

--- Take them away, with their windows: nothing is behind them, and their names are needed.
function M.clear()
  for _, bufnr in ipairs(vim.tbl_filter(is_leftover, vim.api.nvim_list_bufs())) do
    quiet.run(function()
      window_close.buffer(bufnr)
    end)
  end
end

return M
