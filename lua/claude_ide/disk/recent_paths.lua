--- Notes on files that hold for a while.
local M = {}

---@class claude_ide.RecentPaths
---@field add fun(path: string, note: string)
---@field get fun(path: string): string?
---@field forget fun(path: string)

---@class claude_ide.RecentPath
---@field since number time of libuv, in milliseconds
---@field note string

local function real(path)
  local ok, found = pcall(vim.uv.fs_realpath, path)
  return ok and found or path
end

--- Create an empty set of notes.
---@param lasts integer milliseconds
---@return claude_ide.RecentPaths
function M.new(lasts)
  local known = {} ---@type table<string, claude_ide.RecentPath> by real path

  local function is_fresh(noted)
    return vim.uv.now() - noted.since < lasts
  end

  local function add(path, note)
    for other, noted in pairs(known) do
      if not is_fresh(noted) then
        known[other] = nil
      end
    end
    known[real(path)] = { since = vim.uv.now(), note = note }
  end

  local function get(path)
    local noted = known[real(path)]
    return noted and is_fresh(noted) and noted.note or nil
  end

  local function forget(path)
    known[real(path)] = nil
  end

  return { add = add, get = get, forget = forget }
end

return M
