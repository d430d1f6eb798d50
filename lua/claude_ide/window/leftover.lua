--- Removes the buffers that a session restores for the plugin's windows: they are empty, but have the
--- names of the old ones.
local label = require('claude_ide.window.label')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local function is_empty(bufnr)
  return vim.api.nvim_buf_line_count(bufnr) <= 1
    and (vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] or '') == ''
end

-- The plugin's live buffers have a 'buftype'; restored ones have none. A file of the user with such a name
-- exists, or has a text.
local function is_leftover(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return label.is_ours(name)
    and vim.bo[bufnr].buftype == ''
    and not vim.uv.fs_stat(name)
    and is_empty(bufnr)
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
