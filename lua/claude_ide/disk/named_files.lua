--- Files that Claude has said it is about to write, without a diff: what is written to them soon is
--- Claude's.
local M = {}

-- Milliseconds from a name to the write: nothing is asked in between.
local LASTS = 10000

local named = {} ---@type table<string, number> when, by real path

local function real(path)
  local ok, found = pcall(vim.uv.fs_realpath, path)
  return ok and found or path
end

local function is_fresh(since)
  return vim.uv.now() - since < LASTS
end

--- Claude names a file.
---@param path string
function M.add(path)
  for other, since in pairs(named) do
    if not is_fresh(since) then
      named[other] = nil
    end
  end
  named[real(path)] = vim.uv.now()
end

---@param path string
---@return boolean
function M.has(path)
  local since = named[real(path)]
  return since ~= nil and is_fresh(since)
end

--- What comes next is another write.
---@param path string
function M.forget(path)
  named[real(path)] = nil
end

return M
