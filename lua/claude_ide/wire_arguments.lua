--- Completes the arguments of `:ClaudeWire`.
local M = {}

---@param lead string
---@param cmdline string
---@param cursor integer bytes before the cursor
---@return string[]
function M.complete(lead, cmdline, cursor)
  local before = cmdline:sub(1, cursor - #lead)
  if before:find('%f[%w]save%s+$') then
    return vim.tbl_map(vim.fn.fnameescape, vim.fn.getcompletion(lead, 'file'))
  end
  return before:find('%f[%w]ClaudeWire%s+$') and vim.startswith('save', lead) and { 'save' } or {}
end

return M
