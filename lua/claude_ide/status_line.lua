--- The text for a status line. The host composes it (`status_line.py`) from what is reported here, and from
--- what it knows itself.
local channel = require('claude_ide.channel')

local M = {}

local NONE = { state = 'off', text = '' } ---@type claude_ide.StatusEvent without a host

local status = NONE
local limits = {} ---@type claude_ide.Limit[]
local facts = vim.empty_dict() ---@type table<string, any> the fields of `StatusReported`
local is_due = false

--- Report a fact. Many changes at once are one.
---@type fun(name: string, value: any)
function M.report(name, value)
  if vim.deep_equal(facts[name], value) then
    return
  end
  facts[name] = value
  if not is_due then
    is_due = true
    vim.schedule(function()
      is_due = false
      channel.emit('status_reported', facts)
    end)
  end
end

--- Called by the host with another text: redraw the status lines, and announce it.
---@param given claude_ide.StatusEvent
function M.set(given)
  if given.text ~= status.text then
    status = given
    vim.cmd.redrawstatus({ bang = true })
    local announce = require('claude_ide.messages.announce')
    announce.event('ClaudeStatusChanged', vim.deepcopy(status))
  end
end

--- Called by the host with other limits: announce them.
---@param given claude_ide.Limit[]
function M.set_limits(given)
  limits = given
  require('claude_ide.messages.announce').event('ClaudeLimits', { limits = M.limits() })
end

--- What is known of the limits of the user's plan.
---@return claude_ide.Limit[]
function M.limits()
  return vim.deepcopy(limits)
end

--- The host has ended: nothing is known any more.
function M.clear()
  if limits[1] then
    M.set_limits({})
  end
  M.set(vim.deepcopy(NONE))
end

--- The text; empty while there is nothing to show.
---@return string
function M.text()
  return status.text
end

return M
