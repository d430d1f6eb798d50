--- Files that Claude has announced it will write without a diff. The next write to such a file, if it
--- follows soon, is attributed to Claude.
local M = {}

-- Milliseconds between the announcement and the write; the CLI does not ask the user in between.
local LASTS = 10000

local named = {} ---@type table<string, number> time of the announcement, by real path

local function real(path)
  local ok, found = pcall(vim.uv.fs_realpath, path)
  return ok and found or path
end

local function is_fresh(since)
  return vim.uv.now() - since < LASTS
end

--- Record that Claude is about to write a file.
---@param path string
function M.add(path)
  for other, since in pairs(named) do
    if not is_fresh(since) then
      named[other] = nil
    end
  end
  named[real(path)] = vim.uv.now()
end

--- Whether the next write to a file is Claude's.
---@param path string
---@return boolean
function M.has(path)
  local since = named[real(path)]
  return since ~= nil and is_fresh(since)
end

--- Forget an announcement: its write has happened.
---@param path string
function M.forget(path)
  named[real(path)] = nil
end

return M
