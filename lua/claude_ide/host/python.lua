--- Chooses the Python that runs the host.
local program = require('claude_ide.system.program')

local M = {}

local WINDOWS = vim.fn.has('win32') == 1

--- The Python of a virtual environment.
---@param environment string folder
---@return string path
function M.of(environment)
  return environment .. (WINDOWS and '/Scripts/python.exe' or '/bin/python')
end

--- The folder of the plugin's own virtual environment, which `:ClaudeInstall` creates.
---@return string
function M.own()
  return vim.fn.stdpath('data') .. '/claude_ide/venv'
end

--- The candidates in order of preference, with their names for messages. A required one has no
--- fallback.
---@param root string the plugin's checkout
---@return { path: string, name: string, required: boolean }[]
function M.candidates(root)
  local configured = (vim.g.claude_ide or {}).python
  if type(configured) == 'string' and configured ~= '' then
    local path = vim.fn.expand(configured)
    return { { path = path, name = 'g:claude_ide.python', required = true } }
  end
  return {
    { path = M.of(M.own()), name = "the plugin's own environment", required = false },
    { path = M.of(root .. '/.venv'), name = "the checkout's .venv", required = false },
    {
      path = vim.fn.expand(vim.g.python3_host_prog or ''),
      name = 'g:python3_host_prog',
      required = false,
    },
    { path = 'python3', name = 'python3', required = false },
  }
end

local function is_recent(path)
  local code = 'import sys; sys.exit(sys.version_info < (3, 11))'
  -- Version managers would choose a Python according to the working folder.
  return vim.system({ path, '-I', '-c', code }, { cwd = program.neutral }):wait().code == 0
end

--- Find the Python that runs the host.
---@param root string the plugin's checkout
---@return string? path
---@return string? reason one line; set if there is no path
function M.find(root)
  for _, candidate in ipairs(M.candidates(root)) do
    local path = candidate.path ~= '' and program.find(candidate.path)
    if path then
      return path
    elseif candidate.required then
      return nil, ('%s is not executable: %s'):format(candidate.name, candidate.path)
    end
  end
  return nil, 'no Python found; install Python 3.11 or newer, then run :ClaudeInstall'
end

--- Find a Python from which an environment can be created. The user's default comes before a newer
--- one.
---@return string? path
function M.recent()
  local names = { vim.fn.expand(vim.g.python3_host_prog or ''), 'python3' }
  for minor = 14, 11, -1 do
    names[#names + 1] = 'python3.' .. minor
  end
  for _, name in ipairs(names) do
    local path = name ~= '' and program.find(name)
    -- Only running it tells: a version manager's shim may start an old Python, or none.
    if path and is_recent(path) then
      return path
    end
  end
end

return M
