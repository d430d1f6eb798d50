--- Limits how often a function runs, without losing the last call: soon after the first one, then at most
--- once per period, and once more after the last one. A key that is held down has a period of its own.
local message = require('claude_ide.messages.message')

local M = {}

local MILLISECOND = 1e6 -- nanoseconds

---@class claude_ide.Debounce
---@field soon fun() run as soon as it may, but not within the call: some autocommands run before the change
---  that they announce
---@field overdue fun() the same, but at once if it is overdue; for events that come with every key
---@field rest fun() the caller has just done what it does: wait a whole period
---@field stop fun()

--- Create one.
---@param period integer milliseconds between two runs
---@param fn fun(): boolean? a run that returns false does not count
---@param held? integer the milliseconds while each call follows within a period of the one before; default:
---  `period`
---@return claude_ide.Debounce
function M.new(period, fn, held)
  local hrtime = vim.uv.hrtime
  period, held = period * MILLISECOND, (held or period) * MILLISECOND
  local last_run, last_call = -math.huge, -math.huge -- nanoseconds
  local is_due, is_stopped = false, false

  local function rest()
    last_run = hrtime()
  end

  local function run()
    -- An error raised in a timer would show a stack trace and a prompt.
    local ok, result = pcall(fn)
    if not ok then
      message.show(tostring(result), 'error')
    end
    return result ~= false
  end

  local function try()
    local due = math.max(math.min(last_call + period, last_run + held), last_run + period)
    local early = due - hrtime()
    if is_stopped then
      return
    elseif early > 0 then
      return vim.defer_fn(try, math.ceil(early / MILLISECOND))
    end
    is_due = false
    if run() then
      rest()
    end
  end

  local function soon()
    last_call = hrtime()
    if not is_due then
      is_due = true
      vim.schedule(try)
    end
  end

  -- Neovim runs neither timers nor scheduled functions while typed keys are waiting, for example when a key
  -- is held down and each repetition takes long. What is scheduled remains, or every call would schedule
  -- another.
  local function overdue()
    if not is_due then
      return soon()
    end
    last_call = hrtime()
    if last_call >= last_run + held and not is_stopped then
      run()
      rest()
    end
  end

  local function stop()
    is_stopped = true
  end

  return { soon = soon, overdue = overdue, rest = rest, stop = stop }
end

return M
