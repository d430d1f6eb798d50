--- Files whose next change by a tool the user has accepted: they have seen it.
local recent_paths = require('claude_ide.disk.recent_paths')

local M = {}

-- Milliseconds until the tool reports the change. An agent writes right after the answer.
local LASTS = 10000

local accepted = recent_paths.new(LASTS)

--- Record that the user has accepted a change of a file.
---@param path string
function M.add(path)
  accepted.add(path, 'accepted')
end

--- Whether the change that a tool reports is the accepted one. Later ones are not.
---@param path string
---@return boolean
function M.take(path)
  local is_accepted = accepted.get(path) ~= nil
  accepted.forget(path)
  return is_accepted
end

return M
