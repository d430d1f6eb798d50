--- Edits and plans that wait until the user can be taken elsewhere, and the message that names them.
local announce = require('claude_ide.messages.announce')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')

local M = {}

local POLL_MS = 100
local MENTION_MS = 3000

---@class claude_ide.Waiting
---@field what string
---@field since number milliseconds
---@field is_mentioned? boolean whether a message has named it

local entries = {} ---@type claude_ide.Waiting[] oldest first
local held = 0 -- how many entries the user is holding back
local is_polling = false

local function set_count(count)
  if count == held then
    return
  end
  held = count
  vim.fn['claude_ide#status#Report']('held', held)
  announce.event('ClaudeWaiting', { count = count })
end

-- Name what waits in one message. Notifications are often narrow and cut off: it comes first.
local function mention(remedy)
  local due = vim.iter(entries):find(function(entry)
    return not entry.is_mentioned and vim.uv.now() - entry.since >= MENTION_MS
  end)
  if due and moment.can_notify() then
    local waits = #entries > 1 and ('and %d more wait'):format(#entries - 1) or 'waits'
    message.show(('%s %s: %s'):format(due.what, waits, remedy), 'info')
    for _, entry in ipairs(entries) do
      entry.is_mentioned = true
    end
  end
end

-- Each poll schedules the next: at a fixed rate, polls would pile up while a prompt waits for a key.
local function poll()
  is_polling = #entries > 0
  if is_polling then
    vim.defer_fn(poll, POLL_MS)
  end
  local remedy = is_polling and moment.obstacle() or nil
  set_count(remedy and #entries or 0)
  if remedy then
    mention(remedy)
  end
end

local function remove(entry)
  entries = vim.tbl_filter(function(other)
    return other ~= entry
  end, entries)
  set_count(math.min(held, #entries))
end

--- Call `fn` at the next moment when the user may be taken elsewhere (`moment.when_free`). Until then
--- the status line counts it; after three seconds one message says what it waits for.
---@param what string what the user will see, such as "plan"
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
---@return fun() cancel
function M.when_free(what, fn, on_error)
  local entry = { what = what, since = vim.uv.now() }
  table.insert(entries, entry)
  if not is_polling then
    is_polling = true
    vim.schedule(poll)
  end
  local cancel = moment.when_free(function()
    remove(entry)
    fn()
  end, on_error)
  return function()
    cancel()
    remove(entry)
  end
end

return M
