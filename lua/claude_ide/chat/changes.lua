--- Completes `:ClaudeChanges`.
local M = {}

--- The changed files of the chat that a command applies to.
---@param lead string
---@return string[]
function M.complete(lead)
  local here = require('claude_ide.chat.panel').here()
  local names = here and require('claude_ide.review').names(('chat %d'):format(here.chat)) or {}
  return vim
    .iter(names)
    :filter(function(name)
      return vim.startswith(name, lead)
    end)
    :map(vim.fn.fnameescape)
    :totable()
end

return M
