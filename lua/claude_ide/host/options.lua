--- The options as the host gets them: functions stay in Neovim, which alone can call them.
local M = {}

-- The options that may be functions.
local FUNCTIONS = { ['diff.layout'] = true, ['terminal.side'] = true }

local function without_functions(value, name, complaints)
  if type(value) ~= 'table' then
    return value
  end
  local is_list = vim.islist(value) and next(value) ~= nil
  local copy = is_list and {} or vim.empty_dict()
  for key, inner in pairs(value) do
    local inner_name = is_list and name or (name and name .. '.' or '') .. tostring(key)
    if type(inner) ~= 'function' then
      copy[is_list and #copy + 1 or key] = without_functions(inner, inner_name, complaints)
    elseif not FUNCTIONS[inner_name] then
      table.insert(complaints, ('g:claude_ide.%s must not be a function'):format(inner_name))
    end
  end
  return copy
end

--- Copy the options for the host, without functions.
---@param options any
---@return any copy
---@return string[] complaints one line for each function that is not the value of an option
function M.sendable(options)
  local complaints = {} ---@type string[]
  local copy = without_functions(options, nil, complaints)
  table.sort(complaints)
  return copy, complaints
end

return M
