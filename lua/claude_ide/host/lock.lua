--- Reads and removes the lock files that announce servers to the CLI, ours and those of other editors.
local M = {}

local LARGEST = 1000000 -- bytes

---@type table<string, integer>
local constants = rawget(vim.uv, 'constants')

--- The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
---@return string
function M.config_folder()
  local config = vim.env.CLAUDE_CONFIG_DIR
  if not config or config == '' then
    config = vim.fs.joinpath(vim.uv.os_homedir(), '.claude')
  end
  local is_absolute = config:find('^/') or config:find('^%a:[/\\]')
  return is_absolute and config or vim.fs.joinpath(vim.uv.cwd(), config)
end

--- The folder to which a host with Neovim's environment writes its lock (`lock_file.py`).
---@return string
function M.folder()
  return vim.fs.joinpath(M.config_folder(), 'ide')
end

---@return string? text nil if it is not a regular file: opening a pipe without a writer would block
local function text_of(path)
  local found = vim.uv.fs_lstat(path)
  if not found or found.type ~= 'file' then
    return nil
  end
  local flags = constants.O_RDONLY + (constants.O_NONBLOCK or 0)
  local file = vim.uv.fs_open(path, flags, 0)
  if not file then
    return nil
  end
  found = vim.uv.fs_fstat(file)
  local text
  if found and found.type == 'file' and found.size <= LARGEST then
    text = vim.uv.fs_read(file, found.size, 0)
  end
  vim.uv.fs_close(file)
  return text
end

--- Read a lock file.
---@param path string
---@return table? lock its fields, unchecked; nil if it is not a lock
function M.read(path)
  local text = text_of(path)
  local ok, lock = pcall(vim.json.decode, text or '', { luanil = { object = true } })
  return ok and type(lock) == 'table' and lock or nil
end

--- The paths of all lock files in a folder.
---@param folder string
---@return string[]
function M.list(folder)
  return vim
    .iter(vim.fs.dir(folder))
    :filter(function(name)
      return vim.endswith(name, '.lock')
    end)
    :map(function(name)
      return vim.fs.joinpath(folder, name)
    end)
    :totable()
end

--- Remove the lock of a host of this Neovim, and its unfinished files.
---@param folder string
---@param pid integer the host's
function M.withdraw(folder, pid)
  for _, path in ipairs(M.list(folder)) do
    local lock = M.read(path)
    if lock and lock.pid == vim.fn.getpid() and lock.hostPid == pid then
      vim.uv.fs_unlink(path)
    end
  end
  for name in vim.fs.dir(folder) do
    if name:find('^%..*%.lock%.' .. pid .. '%.new$') then
      vim.uv.fs_unlink(vim.fs.joinpath(folder, name))
    end
  end
end

return M
