--- The text of `:ClaudeMcpConfig` in a register.
local message = require('claude_ide.messages.message')

local M = {}

--- Put a text into the register that |p| uses: with 'clipboard' this may be the clipboard.
---@param text string
function M.yank(text)
  vim.fn.setreg(vim.v.register, text, 'l')
  message.show('yanked: put it with p', 'info')
end

return M
