--- Files that an agent has announced it will write without a diff. The next write to such a file, if it
--- follows soon, is attributed to the agent.
local M = {}

--- The agent that needs no name in an announcement.
M.CLAUDE = 'Claude'

-- Milliseconds between the announcement and the write; the agent does not ask the user in between.
local LASTS = 10000

---@class claude_ide.Announcement
---@field since number time of libuv, in milliseconds
---@field agent string its name

local named = {} ---@type table<string, claude_ide.Announcement> by real path

local function real(path)
  local ok, found = pcall(vim.uv.fs_realpath, path)
  return ok and found or path
end

local function is_fresh(announced)
  return vim.uv.now() - announced.since < LASTS
end

--- Record that an agent is about to write a file.
---@param path string
---@param agent? string its name; default: Claude
function M.add(path, agent)
  for other, announced in pairs(named) do
    if not is_fresh(announced) then
      named[other] = nil
    end
  end
  named[real(path)] = { since = vim.uv.now(), agent = agent or M.CLAUDE }
end

--- The name of the agent whose write to a file is next.
---@param path string
---@return string?
function M.agent(path)
  local announced = named[real(path)]
  return announced and is_fresh(announced) and announced.agent or nil
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
  named[real(path)] = nil
end

return M
