--- The `User` autocommands, with which users and other plugins learn what goes on.
local message = require('claude_ide.message')
local quiet = require('claude_ide.quiet')

local M = {}

--- Announce an event. What goes wrong in somebody's autocommand is told, and stops nobody.
---@param event string the pattern
---@param data table
function M.event(event, data)
  local ok, err = pcall(quiet.attempt, function()
    vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = data })
  end)
  if not ok then
    message.show(('%s: %s'):format(event, err), 'warn')
  end
end

return M
