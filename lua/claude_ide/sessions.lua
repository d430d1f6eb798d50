--- What `sessions()` returns: the host composes it, and sets it again when it has changed.
local channel = require('claude_ide.channel')

local M = {}

local value = '[]' -- as JSON
local is_wanted = false -- whether somebody wants to know it
local is_asked = false -- whether the host knows that, who then reads the stored sessions, too

local function ask()
  if is_wanted and not is_asked and channel.id then
    is_asked = true
    channel.emit('sessions_asked', vim.empty_dict())
  end
end

--- Called by the host: set the sessions, and announce that they have changed.
---@param json string
function M.set(json)
  value = json
  ask()
  local sessions = vim.json.decode(json)
  require('claude_ide.messages.announce').event('ClaudeSessionsChanged', { sessions = sessions })
end

--- All sessions. The first call has the host read the stored ones, too.
---@return claude_ide.SessionValue[]
function M.value()
  is_wanted = true
  ask()
  return vim.json.decode(value)
end

--- The names of the sessions that run in the background.
---@return string[]
function M.in_background()
  return vim
    .iter(vim.json.decode(value))
    :filter(function(session)
      return session.kind == 'background' and session.pid > 0
    end)
    :map(function(session)
      return session.name
    end)
    :totable()
end

--- The host has ended: nothing is known any more.
function M.clear()
  value, is_asked = '[]', false
end

return M
