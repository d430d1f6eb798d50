--- The ids of the CLI's stored sessions in the working folder, for completion. Only Python reads the
--- sessions (`agents/stream_json/history.py`), but completion must not wait for it.
local lock = require('claude_ide.host.lock')

local M = {}

local LONGEST_NAME = 200
local MOST = 50

-- The CLI cuts the name of a long path, and adds something of its own to it.
---@return string? folder
local function folder()
  local projects = vim.fs.joinpath(lock.config_folder(), 'projects')
  local here = vim.uv.fs_realpath(vim.uv.cwd() or '.') or ''
  local name = vim.fn.substitute(here, '[^a-zA-Z0-9]', '-', 'g')
  if #name <= LONGEST_NAME then
    return vim.fs.joinpath(projects, name)
  end
  local start = name:sub(1, LONGEST_NAME) .. '-'
  for found in vim.fs.dir(projects) do
    if vim.startswith(found, start) then
      return vim.fs.joinpath(projects, found)
    end
  end
end

---@param path string
---@return { id: string, changed: integer }? session nil if nothing was said in it
local function session(path)
  local found = vim.uv.fs_stat(path)
  local id = vim.fs.basename(path):match('^([%x-]+)%.jsonl$')
  return id and found and found.size > 0 and { id = id, changed = found.mtime.sec } or nil
end

--- The ids of the sessions, the latest first.
---@return string[]
function M.ids()
  local path = folder()
  local found = {} ---@type { id: string, changed: integer }[]
  for name in vim.fs.dir(path or '') do
    table.insert(found, session(vim.fs.joinpath(path, name)))
  end
  table.sort(found, function(one, other)
    return one.changed > other.changed
  end)
  return vim.tbl_map(function(each)
    return each.id
  end, vim.list_slice(found, 1, MOST))
end

return M
