--- Running code that the user or a plugin may have a part in: what it prints or fails at would be a
--- prompt.
local M = {}

local task ---@type fun()?

--- Only for this module: how an Ex command gets at a function.
function M._call()
  task()
end

-- Have `execute` run an Ex command that calls `fn`.
local function run(execute, fn)
  local outer, ok, result = task, false, nil
  task = function()
    ok, result = pcall(fn)
  end
  local is_run, refusal = pcall(execute, "lua require('claude_ide.quiet')._call()")
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
  return run(function(command)
    vim.cmd('silent! ' .. command)
  end, fn)
end

--- Call `fn`. The first error of Vim's inside it is raised instead of being shown.
---@param fn fun()
function M.attempt(fn)
  run(vim.cmd, fn)
end

--- Call `fn` silently.
---@param fn fun()
---@return string printed what `fn` would have shown, and Vim's last error inside it
function M.capture(fn)
  local printed ---@type string
  local errmsg = vim.v.errmsg
  vim.v.errmsg = ''
  local ok, reason = pcall(run, function(command)
    printed = vim.fn.execute(command, 'silent!')
  end, fn)
  local failure = vim.v.errmsg
  vim.v.errmsg = errmsg
  if not ok then
    error(reason, 0)
  end
  return vim.trim(printed) .. failure
end

return M
