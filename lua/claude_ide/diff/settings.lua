--- The options of diffs that only Neovim reads, each time it needs them.
local own_options = require('claude_ide.own_options')

local M = {}

--- Whether a diff that appears takes the user to it.
---@return boolean
function M.takes_focus()
  local focus = own_options.get('diff', 'focus')
  -- Vimscript may write it as a number.
  return focus ~= false and focus ~= 0
end

--- The user's function that shows a diff, if there is one.
---@return (fun(ctx: claude_ide.LayoutContext))?
function M.layout_function()
  return own_options.as_function('diff', 'layout')
end

return M
