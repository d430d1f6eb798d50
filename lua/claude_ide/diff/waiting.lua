--- Edits and plans wait for a moment that takes nothing from the user, and say so.
local announce = require('claude_ide.say.announce')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')

local M = {}

-- Milliseconds.
local POLL = 100
local PATIENCE = 3000

---@class claude_ide.Waiting
---@field what string
---@field since number milliseconds
---@field is_mentioned? boolean whether a message has said so

local list = {} ---@type claude_ide.Waiting[] the oldest first
local held = 0 -- how many are held back by what the user does
local is_looking = false

--- How many edits and plans are held back by what the user does.
---@return integer
function M.count()
  return held
end

local function set_count(count)
  if count == held then
    return
  end
  held = count
  vim.cmd.redrawstatus({ bang = true })
  announce.event('ClaudeWaiting', { count = count })
end

-- Notifications are often narrow, and cut what is longer: what waits comes first.
local function sentence(remedy, what)
  local waits = #list > 1 and ('and %d more wait'):format(#list - 1) or 'waits'
  return ('%s %s: %s'):format(what, waits, remedy)
end

local function is_due(this)
  return not this.is_mentioned and vim.uv.now() - this.since >= PATIENCE
end

local function mention(remedy)
  local due = vim.iter(list):find(is_due)
  if due and moment.can_notify() then
    message.show(sentence(remedy, due.what), 'info')
    for _, this in ipairs(list) do
      this.is_mentioned = true
    end
  end
end

-- Timed from this look on: at a fixed rate, looks would pile up while a prompt waits for a key.
local function look()
  is_looking = #list > 0
  if is_looking then
    vim.defer_fn(look, POLL)
  end
  local remedy = is_looking and moment.obstacle() or nil
  set_count(remedy and #list or 0)
  if remedy then
    mention(remedy)
  end
end

local function add(what)
  local this = { what = what, since = vim.uv.now() }
  table.insert(list, this)
  if not is_looking then
    is_looking = true
    vim.schedule(look)
  end
  return this
end

local function remove(this)
  list = vim.tbl_filter(function(other)
    return other ~= this
  end, list)
  set_count(math.min(held, #list))
end

--- Call `fn` at the next moment at which the user can be taken elsewhere (`moment.when_free`). Until
--- then the status line counts it, and after three seconds one message says what holds it back.
---@param what string what they will see: "plan"
---@param fn fun()
---@param on_error fun(message: string) called instead when `fn` raises
---@return fun() cancel
function M.when_free(what, fn, on_error)
  local this = add(what)
  local cancel = moment.when_free(function()
    remove(this)
    fn()
  end, on_error)
  return function()
    cancel()
    remove(this)
  end
end

return M
