--- The `User` autocommands, with which users and other plugins learn what goes on.
local message = require('claude_ide.say.message')
local quiet = require('claude_ide.say.quiet')

local M = {}

--- Announce an event. What goes wrong in an autocommand is reported, and stops no other.
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
