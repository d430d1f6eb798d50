--- The `User` events that inform users and other plugins.
local message = require('claude_ide.messages.message')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local listeners = {} ---@type table<string, fun(data: table)> by event

local function run(event, fn)
  local failure = quiet.tolerate(fn)
  if failure ~= '' then
    -- A line of the screen has no room for the functions that were called.
    message.show(('%s: %s'):format(event, failure:gsub('\nstack traceback:.*', '')), 'warn')
  end
end

--- Have a function of ours get the data of an event, before others do.
---@param event string
---@param fn fun(data: table) the only one for this event
function M.on(event, fn)
  listeners[event] = fn
end

--- Announce an event. Errors in its autocommands are reported, and do not stop the others.
---@param event string the pattern
---@param data table
function M.event(event, data)
  if listeners[event] then
    run(event, function()
      listeners[event](data)
    end)
  end
  run(event, function()
    vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = data })
  end)
end

return M
