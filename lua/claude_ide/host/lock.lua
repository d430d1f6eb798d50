--- Removes the lock files that announce servers to the CLI, if their hosts could not.
local M = {}

local LARGEST_BYTES = 1000000

local uv = vim.uv

--- The folder in which the CLI keeps the user's settings and sessions (`paths.py`).
---@return string
function M.config_folder()
  local config = vim.env.CLAUDE_CONFIG_DIR
  if not config or config == '' then
    config = vim.fs.joinpath(uv.os_homedir(), '.claude')
  end
  local is_absolute = config:find('^/') or config:find('^%a:[/\\]')
  return is_absolute and config or vim.fs.joinpath(uv.cwd(), config)
end

--- The folder to which a host with Neovim's environment writes its lock (`lock_file.py`).
---@return string
function M.folder()
  return vim.fs.joinpath(M.config_folder(), 'ide')
end

-- Opening a pipe without a writer would block.
local function fields_of(path)
  local found = uv.fs_lstat(path)
  local is_lock = found and found.type == 'file' and found.size <= LARGEST_BYTES
  local ok, lock = pcall(function()
    return is_lock and vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
  end)
  return ok and type(lock) == 'table' and lock or {}
end

--- Remove the lock of a host of this Neovim, and its unfinished files.
---@param folder string
---@param pid integer the host's
function M.withdraw(folder, pid)
  for name in vim.fs.dir(folder) do
    local path = vim.fs.joinpath(folder, name)
    local is_ours = name:find('^%..*%.lock%.' .. pid .. '%.new$') ~= nil
    if vim.endswith(name, '.lock') then
      local lock = fields_of(path)
      is_ours = lock.pid == vim.fn.getpid() and lock.hostPid == pid
    end
    if is_ours then
      uv.fs_unlink(path)
    end
  end
end

return M
