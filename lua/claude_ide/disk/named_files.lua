--- Files that an agent has announced it will write without a diff. The next write to such a file, if it
--- follows soon, is attributed to the agent.
local recent_paths = require('claude_ide.disk.recent_paths')

local M = {}

--- The agent that needs no name in an announcement.
M.CLAUDE = 'Claude'

-- Milliseconds between the announcement and the write; the agent does not ask the user in between.
local LASTS = 10000

local named = recent_paths.new(LASTS) -- names of agents

--- Record that an agent is about to write a file.
---@param path string
---@param agent? string its name; default: Claude
function M.add(path, agent)
  named.add(path, agent or M.CLAUDE)
end

--- The name of the agent whose write to a file is next.
---@param path string
---@return string?
function M.agent(path)
  return named.get(path)
end

--- Whether the next write to a file is an agent's.
---@param path string
---@return boolean
function M.has(path)
  return M.agent(path) ~= nil
end

--- Forget an announcement: its write has happened.
---@param path string
function M.forget(path)
  named.forget(path)
end

return M
