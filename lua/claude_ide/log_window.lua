--- `:ClaudeLog`: shows the log in a window.
local colouring = require('claude_ide.colouring')
local log = require('claude_ide.messages.log')
local message = require('claude_ide.messages.message')

local M = {}

--- Open the log at its end.
function M.open()
  local path = log.path()
  if vim.fn.filereadable(path) == 0 then
    -- Logging this message would make it false.
    message.show_unlogged('nothing has been logged yet', 'info')
    return
  end
  colouring.load(vim.fn.bufadd(path), function()
    vim.cmd.split(vim.fn.fnameescape(path))
  end)
  vim.bo.readonly, vim.bo.autoread, vim.bo.buflisted = true, true, false
  vim.cmd('normal! G')
end

return M
