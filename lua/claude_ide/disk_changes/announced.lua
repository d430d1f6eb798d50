--- Writes that are about to happen: an agent has announced one without a diff, or the user has accepted one.
--- A note holds for a while, and for one write to the file.
local file = require('claude_ide.file.path')

local M = {}

-- Milliseconds until the write: an agent does not ask the user in between.
local LASTS = 10000

---@alias claude_ide.AnnouncedWrites table<string, { agent: string }> by real path

local writes, accepted = {}, {} ---@type claude_ide.AnnouncedWrites, claude_ide.AnnouncedWrites

local function add(notes, path, agent)
  local real, note = file.real(path), { agent = agent }
  notes[real] = note
  vim.defer_fn(function()
    notes[real] = notes[real] ~= note and notes[real] or nil
  end, LASTS)
end

local function take(notes, path)
  local real = file.real(path)
  local note = notes[real]
  notes[real] = nil
  return note and note.agent
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
  return writes[file.real(path)] ~= nil
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
