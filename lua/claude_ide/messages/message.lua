--- Messages to the user. The log gets the whole text.
local log = require('claude_ide.messages.log')
local plain = require('claude_ide.messages.plain')

local M = {}

local NAME = 'claude-ide: '

--- Draw a message again that has just been shown: the command line has been cleared.
function M.draw_again()
  local display = package.loaded['claude_ide.messages.display']
  if display then
    display.draw_again()
  end
end

--- How many columns the command line has for the text of a message.
---@return integer
function M.room()
  return vim.v.echospace - #NAME
end

--- Show a message without logging it.
---@type fun(text: string, level: 'debug'|'info'|'warn'|'error')
function M.show_unlogged(text, level)
  vim.schedule(function()
    require('claude_ide.messages.display').show(plain.one_line(text), level)
  end)
end

--- Show a message, and log it.
---@type fun(text: string, level: 'debug'|'info'|'warn'|'error')
function M.show(text, level)
  vim.schedule(function()
    log.write(level, plain.one_line(text))
  end)
  M.show_unlogged(text, level)
end

--- A function that shows why something has failed.
---@param form string with `%s` for the reason
---@return fun(reason: string)
function M.failure(form)
  return function(reason)
    M.show(form:format(reason), 'error')
  end
end

return M
