--- Looks at what may change with every key: at once, then at a steady pace for as long as it
--- changes, and at its last state in any case. At rest it costs nothing.
local M = {}

local NANOSECONDS = 1000000

---@class claude_ide.Pulse
---@field soon fun() something may have changed: look once what happens now is over
---@field overdue fun() the same where looking at once is right, for events that come with each key
---@field rest fun() whoever calls has just looked
---@field stop fun()

---@param period integer milliseconds between two looks
---@param look fun(): boolean whether anything had changed
---@return claude_ide.Pulse
function M.new(period, look)
  local timer = assert(vim.uv.new_timer())
  local hrtime = vim.uv.hrtime
  local beating = false
  local next_look = 0 -- nanoseconds

  local beat

  local function beat_in(milliseconds)
    timer:start(milliseconds, 0, vim.schedule_wrap(beat))
  end

  local function rest()
    next_look = hrtime() + period * NANOSECONDS
  end

  beat = function()
    if timer:is_closing() then
      return
    end
    local early = next_look - hrtime()
    if early > 0 then
      beat_in(math.ceil(early / NANOSECONDS))
      return
    end
    beating = look()
    if beating then
      rest()
      beat_in(period)
    end
  end

  local function soon()
    if not beating then
      beating = true
      vim.schedule(beat)
    end
  end

  -- Neovim runs neither timers nor scheduled functions while typed keys wait for it, as they do
  -- when a key is held and each one takes long. The beat that is under way ends it: an event that
  -- changes nothing would else begin another one each time.
  local function overdue()
    if not beating then
      soon()
    elseif hrtime() >= next_look and not timer:is_closing() then
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
