--- Chooses the Python that runs the host.
local program = require('claude_ide.system.program')

local M = {}

local WINDOWS = vim.fn.has('win32') == 1
local LONGEST_CHECK_MS = 8000

--- The folder of the plugin's checkout.
---@type string
M.root = vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)):match('^(.*)/lua/claude_ide/')

--- Why nothing can be installed.
---@type string
M.NONE = 'No Python 3.11 or newer found'

--- The Python of a virtual environment.
---@param environment string folder
---@return string path
function M.of(environment)
  return environment .. (WINDOWS and '/Scripts/python.exe' or '/bin/python')
end

--- The folder of the plugin's own virtual environment, which `:ClaudeInstall` creates.
---@return string
function M.own()
  return vim.fn['claude_ide#editor#Folder']('data') .. '/venv'
end

---@return string? path the option `python`
local function configured()
  local path = (vim.g.claude_ide or {}).python
  return type(path) == 'string' and path ~= '' and path or nil
end

---@class claude_ide.PythonCandidate
---@field path string
---@field is_prepared? boolean whether the packages of the host are probably there

--- The candidates in order of preference.
---@return claude_ide.PythonCandidate[]
local function candidates()
  local path = configured()
  if path then
    return { { path = vim.fn.expand(path, true), is_prepared = true } }
  end
  return {
    { path = M.of(M.own()), is_prepared = true },
    { path = M.of(M.root .. '/.venv'), is_prepared = true },
    { path = vim.fn.expand(vim.g.python3_host_prog or '', true) },
    { path = 'python3' },
  }
end

local function is_recent(path)
  local code = 'import sys; sys.exit(sys.version_info < (3, 11))'
  -- Version managers would choose a Python according to the working folder.
  return vim.system({ path, '-I', '-c', code }, { cwd = program.neutral }):wait().code == 0
end

--- Find the Python that runs the host.
---@return string? path
---@return string? problem set if there is no path
---@return boolean? is_prepared whether the packages of the host are probably there
function M.find()
  for _, candidate in ipairs(candidates()) do
    local path = candidate.path ~= '' and program.find(candidate.path)
    if path then
      return path, nil, candidate.is_prepared
    end
  end
  local path = configured()
  return nil, path and ('g:claude_ide.python is not executable: %s'):format(path) or M.NONE
end

--- Have a Python check whether it can run the host.
---@param path string
---@return string? version nil if it cannot
---@return string? problem
function M.check(path)
  local host = M.root .. '/python/claude_ide/host.py'
  local command = { path, '-I', host, '--check' }
  local options = { text = true, cwd = program.neutral }
  local ok, done = pcall(function()
    return vim.system(command, options):wait(LONGEST_CHECK_MS)
  end)
  if ok and done.code == 0 then
    return vim.trim(done.stdout)
  end
  local output = vim.trim(ok and done.stderr or '')
  require('claude_ide.messages.log').appender()(output .. '\n')
  local lines = vim.split(output, '\n')
  return nil, lines[#lines] ~= '' and lines[#lines] or ('%s does not run'):format(path)
end

local checked ---@type string? a Python that can run the host

--- Why no host can be started; nil if one probably can. Only a Python that was not installed for the
--- host is run to find out.
---@return string?
function M.problem()
  local path, problem, is_prepared = M.find()
  if not path or is_prepared or path == checked then
    return problem
  end
  local version
  version, problem = M.check(path)
  checked = version and path
  return problem
end

--- What the user can do about a problem.
---@param problem string
---@return string remedy
---@return boolean is_installable whether `:ClaudeInstall` solves it
function M.remedy(problem)
  if configured() then
    return 'Correct or remove g:claude_ide.python', false
  elseif problem:find('is too old', 1, true) and not M.recent() then
    return 'Install 3.11 or newer, then run :ClaudeInstall', false
  elseif problem == M.NONE and not M.recent() then
    return 'Install one, then run :ClaudeInstall', false
  end
  return 'Run :ClaudeInstall', true
end

--- A problem in one line, with what the user can do about it.
---@param problem string
---@return string text
---@return boolean is_installable whether `:ClaudeInstall` solves it
function M.refusal(problem)
  local remedy, is_installable = M.remedy(problem)
  local names_option = vim.startswith(problem, 'g:claude_ide.python')
  return names_option and problem or ('%s. %s'):format(problem, remedy), is_installable
end

--- Find a Python from which an environment can be created. The user's default comes before a newer
--- one.
---@return string? path
function M.recent()
  local names = { vim.fn.expand(vim.g.python3_host_prog or '', true), 'python3' }
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
