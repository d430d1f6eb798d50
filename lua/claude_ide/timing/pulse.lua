--- Polls something that may change with every key: right after the first change, then at a fixed
--- interval while it keeps changing, and always once after the last change. It does not poll while
--- nothing changes. A key that is held down has an interval of its own, which ends with the key.
local M = {}

local NANOSECONDS = 1000000

---@class claude_ide.Pulse
---@field soon fun() something may have changed: look once the current event is over
---@field overdue fun() the same, but look immediately if a look is overdue; for events that come
---  with every key
---@field rest fun() the caller has just looked: wait a whole period
---@field stop fun()

--- Create a pulse.
---@param period integer milliseconds between two looks
---@param look fun(): boolean returns whether anything has changed
---@param held? integer milliseconds between two looks while each event follows within a period of the
---  one before; default: `period`
---@return claude_ide.Pulse
function M.new(period, look, held)
  local timer = assert(vim.uv.new_timer())
  local hrtime = vim.uv.hrtime
  local beating = false
  period, held = period * NANOSECONDS, (held or period) * NANOSECONDS
  -- Nanoseconds.
  local last_look, last_event = -math.huge, -math.huge

  local beat

  local function beat_in(nanoseconds)
    timer:start(math.ceil(nanoseconds / NANOSECONDS), 0, vim.schedule_wrap(beat))
  end

  local function rest()
    last_look = hrtime()
  end

  -- Until the next look.
  local function wait()
    local now = hrtime()
    local due = math.min(last_event + period, last_look + held)
    return math.max(due, last_look + period) - now
  end

  beat = function()
    if timer:is_closing() then
      return
    end
    local early = wait()
    if early > 0 then
      beat_in(early)
      return
    end
    beating = look()
    if beating then
      rest()
      beat_in(period)
    end
  end

  local function soon()
    last_event = hrtime()
    if not beating then
      beating = true
      vim.schedule(beat)
    end
  end

  -- Neovim runs neither timers nor scheduled functions while typed keys are waiting, for example
  -- when a key is held down and each repetition takes long. This leaves `beating` on: the beat that
  -- is already scheduled clears it. Otherwise every event without a change would schedule another
  -- beat.
  local function overdue()
    if not beating then
      return soon()
    end
    last_event = hrtime()
    if last_event >= last_look + held and not timer:is_closing() then
      look()
      rest()
    end
  end

  local function stop()
    if not timer:is_closing() then
      timer:close()
    end
  end

  return { soon = soon, overdue = overdue, rest = rest, stop = stop }
end

return M
