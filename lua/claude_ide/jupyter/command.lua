--- Completes `:ClaudeKernel`.
local M = {}

local SUBCOMMANDS = { 'choose', 'interrupt', 'restart', 'status', 'stop' }

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub('^.*ClaudeKernel%s+', ''), '%s+')
  if #words > 1 then
    return words[1] == 'choose' and vim.fn.getcompletion(lead, 'file') or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, SUBCOMMANDS)
end

return M
