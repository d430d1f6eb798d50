--- Who writes a buffer: the user, or an autosave.
local M = {}

--- Whether an autocommand around the current one wrote. In `<stack>` an autocommand's entry begins
--- with its event.
---@return boolean
function M.is_writing()
  local around = vim.split(vim.fn.expand('<stack>'), '..', { plain = true })
  table.remove(around)
  return vim.iter(around):any(function(entry)
    local event = entry:match('^%a+')
    return event ~= nil and vim.fn.exists('##' .. event) == 1
  end)
end

return M
