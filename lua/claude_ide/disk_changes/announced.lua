--- Writes that are about to happen: an agent has announced one without a diff, or the user has accepted one.
--- A note holds for a while, and for one write to the file.
local M = {}

-- Milliseconds until the write: an agent does not ask the user in between.
local LASTS = 10000

---@alias claude_ide.AnnouncedWrites table<string, { since: number, agent: string }> by real path

local writes = {} ---@type claude_ide.AnnouncedWrites
local accepted = {} ---@type claude_ide.AnnouncedWrites

local function real(path)
  local ok, found = pcall(vim.uv.fs_realpath, path)
  return ok and found or path
end

local function is_fresh(note)
  return note ~= nil and vim.uv.now() - note.since < LASTS
end

local function add(notes, path, agent)
  for other, note in pairs(notes) do
    notes[other] = is_fresh(note) and note or nil
  end
  notes[real(path)] = { since = vim.uv.now(), agent = agent }
end

local function take(notes, path)
  local note = notes[real(path)]
  notes[real(path)] = nil
  return is_fresh(note) and note.agent or nil
end

--- Record that an agent is about to write a file.
---@param path string
---@param agent? string its name; default: Claude
function M.add(path, agent)
  add(writes, path, agent or 'Claude')
end

--- Whether the next write to a file is an agent's.
---@param path string
---@return boolean
function M.has(path)
  return is_fresh(writes[real(path)])
end

--- The name of the agent whose write to a file has just happened.
---@param path string
---@return string?
function M.take(path)
  return take(writes, path)
end

--- Record that the user has accepted the next change of a file: they have seen it.
---@param path string
function M.accept(path)
  add(accepted, path, 'accepted')
end

--- Whether the change that a tool reports is the accepted one. Later ones are not.
---@param path string
---@return boolean
function M.take_accepted(path)
  return take(accepted, path) ~= nil
end

return M
