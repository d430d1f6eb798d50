--- A call that may come often, let through at most once in a while; the last one is never lost.
local message = require('claude_ide.say.message')

local M = {}

--- `fn` runs soon after the first call, then at most once per `interval` milliseconds, and once more
--- after the last call. Never within the call: autocommands come before what they announce is true.
---@param interval integer
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
    -- Raised from a timer, an error would be many lines and a prompt.
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
