--- Doing something without a message: what the user's autocommands print or fail at along the way
--- would be a prompt over it.
local M = {}

local task ---@type fun()?

--- Only for `run`: Lua code gets to be silent as an Ex command.
function M._call()
  task()
end

--- Call `fn` silently. Errors of Vim's inside it are not raised; those of Lua and of the API are.
---@param fn fun()
function M.run(fn)
  local outer, ok, err = task, false, nil
  task = function()
    ok, err = pcall(fn)
  end
  vim.cmd("silent! lua require('claude_ide.quiet')._call()")
  task = outer
  if not ok then
    error(err, 0)
  end
end

return M
