--- The command-line window, in which Neovim allows no other window to open.
local message = require('claude_ide.messages.message')

local M = {}

--- Tell the user to close the command-line window if they are in it. Closing it for them would discard
--- what they have typed.
---@return boolean is_in_the_way
function M.is_in_the_way()
  if vim.fn.getcmdwintype() == '' then
    return false
  end
  message.show('close the command-line window first', 'error')
  return true
end

return M
