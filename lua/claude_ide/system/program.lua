--- Finds programs on PATH, but never in the current folder.
local M = {}

local WINDOWS = vim.fn.has('win32') == 1

local function is_absolute(folder)
  return folder:find(WINDOWS and '^%a:[/\\]' or '^/') ~= nil
end

--- A folder in which only an administrator can put settings, as in all folders above it.
---@type string
M.neutral = WINDOWS and (vim.env.SystemDrive or 'C:') .. '\\' or '/'

--- Find a program by its name. Relative and empty entries of PATH are skipped: they would let a
--- project choose the program. A name with a slash is a path.
---@param name string
---@return string? path absolute
function M.find(name)
  if name:find('[/\\]') then
    local path = vim.fs.abspath(name)
    return vim.fn.executable(path) == 1 and path or nil
  end
  for _, folder in ipairs(vim.split(vim.env.PATH or '', WINDOWS and ';' or ':')) do
    local path = is_absolute(folder) and vim.fn.exepath(vim.fs.joinpath(folder, name)) or ''
    if path ~= '' then
      return path
    end
  end
end

--- Run a command outside the current folder, where version managers would choose a Python, and wait for it.
---@param command string[]
---@param longest_ms integer
---@return { code: integer, output: string }
function M.run(command, longest_ms)
  local ok, done = pcall(function()
    return vim.system(command, { text = true, cwd = M.neutral }):wait(longest_ms)
  end)
  local output = ok and (done.code == 0 and done.stdout or done.stderr) or ''
  return { code = ok and done.code or -1, output = output }
end

return M
