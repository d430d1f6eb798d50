--- `:ClaudeMcpConfig`: its completion, and its text in a register.
local message = require('claude_ide.messages.message')

local M = {}

local SUBCOMMANDS = { 'stdio', 'ws' }

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local is_first = #vim.split(vim.trim(line:sub(1, #line - #lead)), '%s+') == 1
  return vim.tbl_filter(function(name)
    return is_first and vim.startswith(name, lead)
  end, SUBCOMMANDS)
end

--- Put a text into the register that |p| uses: with 'clipboard' this may be the clipboard.
---@param text string
function M.yank(text)
  vim.fn.setreg(vim.v.register, text, 'l')
  message.show('yanked: put it with p', 'info')
end

return M
