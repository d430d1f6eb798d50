--- Running code that the user or a plugin may have a part in: what it prints or fails at would be a
--- prompt.
local M = {}

local task ---@type fun()

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
  local is_run, refusal = pcall(execute, "lua require('claude_ide.say.quiet')._call()")
  task = outer
  if not (is_run and ok) then
    error(result or refusal, 0)
  end
  return result
end

--- Call `fn` silently. Errors of Vim's inside it are not raised; those of Lua and of the API are.
---@generic T
---@param fn fun(): T?
---@return T? result of `fn`
function M.run(fn)
  return run(function(command)
    vim.cmd('silent! ' .. command)
  end, fn)
end

-- Vim's last error inside `fn`, or an empty string.
local function last_error(fn)
  local errmsg = vim.v.errmsg
  vim.v.errmsg = ''
  local ok, reason = pcall(fn)
  local failure = vim.v.errmsg
  vim.v.errmsg = errmsg
  if not ok then
    error(reason, 0)
  end
  return failure
end

--- Call `fn`. What it prints is shown. Errors inside it are neither raised nor shown, and stop no other
--- autocommand, except for Vim script's `:throw`.
---@param fn fun()
---@return string failure the last error, or an empty string
function M.tolerate(fn)
  local ok, failure = pcall(last_error, function()
    run(function(command)
      vim.cmd('silent! unsilent ' .. command)
    end, fn)
  end)
  return ok and failure or tostring(failure)
end

--- Call `fn` silently.
---@param fn fun()
---@return string printed what `fn` would have shown, and Vim's last error inside it
function M.capture(fn)
  local printed ---@type string
  local failure = last_error(function()
    run(function(command)
      printed = vim.fn.execute(command, 'silent!')
    end, fn)
  end)
  return vim.trim(printed) .. failure
end

return M
