--- Runs code that may trigger autocommands of the user or of plugins. Without this, their output and
--- errors would cause prompts.
local M = {}

local task ---@type fun()

--- Private: lets an Ex command call a Lua function.
function M._call()
  task()
end

-- Have `execute` run an Ex command that calls `fn`.
local function run(execute, fn)
  local outer, ok, result = task, false, nil
  task = function()
    ok, result = pcall(fn)
  end
  local is_run, refusal = pcall(execute, "lua require('claude_ide.messages.quiet')._call()")
  task = outer
  if not (is_run and ok) then
    error(result or refusal, 0)
  end
  return result
end

--- Call `fn` silently. Vim errors inside it are suppressed; Lua and API errors are raised.
---@generic T
---@param fn fun(): T?
---@return T? result of `fn`
function M.run(fn)
  return run(function(command)
    vim.cmd('silent! ' .. command)
  end, fn)
end

-- The last Vim error inside `fn`, or an empty string.
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

--- Call `fn`, and show what it prints. Errors inside it are neither raised nor shown, and do not
--- stop other autocommands; only Vim script's `:throw` does.
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
---@return string printed what `fn` would have shown, followed by the last Vim error inside it
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
