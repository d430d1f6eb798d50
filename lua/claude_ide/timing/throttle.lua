--- Limits how often a function runs, without losing the last call.
local message = require('claude_ide.messages.message')

local M = {}

--- `fn` runs soon after the first call, then at most once per interval, and once more after the last
--- call. It never runs synchronously: some autocommands run before the change that they announce.
---@param interval integer milliseconds
---@param fn fun()
---@return fun() call
function M.new(interval, fn)
  local resting, missed = false, false
  local function run()
    missed = false
    vim.defer_fn(function()
      resting = missed
      if missed then
        run()
      end
    end, interval)
    -- An error raised in a timer would show a stack trace and a prompt.
    local ok, err = pcall(fn)
    if not ok then
      message.show(tostring(err), 'error')
    end
  end
  return function()
    missed = true
    if not resting then
      resting = true
      vim.schedule(run)
    end
  end
end

return M
