--- The options of diffs that only Neovim reads, each time it needs them.
local M = {}

local function own()
  local options = vim.g.claude_ide
  local found = type(options) == 'table' and options.diff
  return type(found) == 'table' and found or {}
end

--- Whether a diff that appears takes the user to it.
---@return boolean
function M.takes_focus()
  local focus = own().focus
  -- Vimscript may write it as a number.
  return focus ~= false and focus ~= 0
end

--- The user's function that shows a diff, if there is one.
---@return (fun(ctx: claude_ide.LayoutContext))?
function M.layout_function()
  local layout = own().layout
  return type(layout) == 'function' and layout or nil
end

return M
