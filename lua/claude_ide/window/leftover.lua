--- Removes the buffers that a session restores for the plugin's windows: they are empty, but have the
--- names of the old ones.
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

-- The plugin's live buffers have a 'buftype'; restored ones have none.
local function is_leftover(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return name:find('^claude%-%l+://') ~= nil and vim.bo[bufnr].buftype == ''
end

--- Delete these buffers and close their windows: new buffers need the names.
function M.clear()
  for _, bufnr in ipairs(vim.tbl_filter(is_leftover, vim.api.nvim_list_bufs())) do
    quiet.run(function()
      window_close.buffer(bufnr)
    end)
  end
end

return M
