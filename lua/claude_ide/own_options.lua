--- The user's options as they stand, wrong ones, too (the host reports those).
local M = {}

--- An option, or a group of options.
---@param group string
---@param name? string nil for the whole group
---@return any value nil if it is missing
function M.get(group, name)
  local value = vim.g.claude_ide
  for _, key in ipairs({ group, name }) do
    if type(value) ~= 'table' then
      return nil
    end
    value = value[key]
  end
  return value
end

--- A function of the user's that is the value of an option.
---@param group string
---@param name string
---@return function?
function M.as_function(group, name)
  local value = M.get(group, name)
  return type(value) == 'function' and value or nil
end

return M
