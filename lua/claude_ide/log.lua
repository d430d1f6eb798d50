--- The host's log file.
local colouring = require('claude_ide.colouring')

local M = {}

---@return string
function M.path()
  return vim.fn.stdpath('log') .. '/claude_ide.log'
end

--- Open the log at its end.
function M.open()
  if vim.fn.filereadable(M.path()) == 0 then
    require('claude_ide.message').show('nothing has been logged yet', 'info')
    return
  end
  colouring.load(vim.fn.bufadd(M.path()), function()
    vim.cmd.split(vim.fn.fnameescape(M.path()))
  end)
  vim.bo.readonly, vim.bo.autoread = true, true
  vim.cmd('normal! G')
end

return M
