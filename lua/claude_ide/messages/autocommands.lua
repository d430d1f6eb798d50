--- Autocommands, each in the group of the module that defines it.
local M = {}

--- Defines an autocommand that calls a function: in a buffer, for a pattern, or anywhere. `more` has other
--- options, such as `once`.
---@alias claude_ide.On fun(events: string|string[], where: any, run: function, more?: table): integer

--- Create a group, or empty it.
---@param name string
---@return claude_ide.On on
---@return integer group
function M.group(name)
  local group = vim.api.nvim_create_augroup(name, { clear = true })
  local function on(events, where, run, more)
    local options = vim.tbl_extend('error', { callback = run }, more or {})
    options[type(where) == 'number' and 'buffer' or 'pattern'] = where
    return vim.api.nvim_create_autocmd(events, vim.tbl_extend('error', { group = group }, options))
  end
  return on, group
end

return M
