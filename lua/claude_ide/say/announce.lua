--- The `User` events that inform users and other plugins.
local message = require('claude_ide.say.message')
local quiet = require('claude_ide.say.quiet')

local M = {}

--- Announce an event. Errors in its autocommands are reported, and do not stop the others.
---@param event string the pattern
---@param data table
function M.event(event, data)
  local failure = quiet.tolerate(function()
    vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = data })
  end)
  if failure ~= '' then
    message.show(('%s: %s'):format(event, failure), 'warn')
  end
end

return M
