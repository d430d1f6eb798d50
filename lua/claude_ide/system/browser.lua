--- The user's browser.
local M = {}

--- Open an address.
---@param url string
---@return string failure empty if a program was started
function M.open(url)
  local ok, command, failure = pcall(vim.ui.open, url)
  if not ok then
    return tostring(command)
  end
  return command == nil and tostring(failure or 'no program opens it') or ''
end

return M
