--- Running code among which are autocommands of the user's: what they print or fail at would be a
--- prompt.
local M = {}

local task ---@type fun()?

--- Only for this module: how an Ex command gets at a function.
function M._call()
  task()
end

local function run(command, fn)
  local outer, ok, result = task, false, nil
  task = function()
    ok, result = pcall(fn)
  end
  local is_run, refusal = pcall(vim.cmd, command .. " lua require('claude_ide.quiet')._call()")
  task = outer
  if not (is_run and ok) then
    error(result or refusal, 0)
  end
  return result
end

--- Call `fn` silently. Errors of Vim's inside it are not raised; those of Lua and of the API are.
---@generic T
---@param fn fun(): T
---@return T result of `fn`
function M.run(fn)
  return run('silent!', fn)
end

--- Call `fn`. The first error of Vim's inside it is raised instead of being shown.
---@param fn fun()
function M.attempt(fn)
  run('', fn)
end

return M
