--- `:checkhealth claude_ide`: checks each step from the command to a connected CLI.
local requirement = require('claude_ide.requirement')

local refusal = requirement.refusal()
if refusal then
  return {
    check = function()
      -- Neovim 0.7 to 0.9 have other names for both.
      local health = vim.health or require('health')
      local report = health.error or health.report_error
      report(refusal, 'Install a newer Neovim')
    end,
  }
end

local plain = require('claude_ide.say.plain')

local M = {}

local health = vim.health
local START_MS = 8000

---@class claude_ide.HealthStep
---@field name string
---@field ok boolean
---@field seen string one line

---@type claude_ide.HealthStep[]? the host's steps in connecting to its own server
local report

--- Called by the host with the steps of its check (`check.py`).
---@param steps claude_ide.HealthStep[]
function M.receive(steps)
  report = steps
end

-- `:ClaudeInstall` does not help while the option names a Python, nor without a recent one.
local function python_advice(reason)
  local is_configured = ((vim.g.claude_ide or {}).python or '') ~= ''
  if is_configured then
    return 'Name another Python in g:claude_ide.python, or remove the option and run :ClaudeInstall'
  elseif reason:find('is too old', 1, true) and not require('claude_ide.host.python').recent() then
    return 'Install Python 3.11 or newer, then run :ClaudeInstall'
  end
  return 'Run :ClaudeInstall'
end

local function check_python()
  if require('claude_ide.host.install').is_running() then
    health.warn('Python is being installed', 'Run :checkhealth claude_ide again afterwards')
    return
  end
  local python = require('claude_ide.host.python')
  local program, reason = python.find(require('claude_ide.host').root())
  if not program then
    ---@cast reason -nil
    health.error(reason)
    return
  end
  local host = require('claude_ide.host').root() .. '/python/claude_ide/host.py'
  local done = vim.system({ program, '-I', host, '--check' }, { text = true }):wait(START_MS)
  if done.code == 0 then
    health.ok(('Python %s: %s'):format(vim.trim(done.stdout), program))
    return true
  end
  local lines = vim.split(vim.trim(done.stderr or ''), '\n')
  local reason = lines[#lines]:gsub('^run :ClaudeInstall; ', '')
  health.error(('%s cannot run the host: %s'):format(program, reason), python_advice(reason))
end

local function check_watch()
  local state = require('claude_ide.disk.folders').state()
  if state.refusal then
    health.warn(
      ('A folder of open files cannot be watched: %s'):format(plain.one_line(state.refusal)),
      'Its files are checked every two seconds; on Linux see fs.inotify.max_user_watches'
    )
  elseif state.polled > 0 then
    health.info(('%d folders on network drives are checked every two seconds'):format(state.polled))
  else
    health.ok(('%d folders of open files are watched'):format(state.folders))
  end
end

local function check_server()
  local host = require('claude_ide.host')
  local was_running = host.server() ~= nil
  if not was_running then
    vim.cmd('ClaudeStart!')
  end
  if not vim.wait(START_MS, host.server, 20) then
    health.error('The server does not start', 'See :messages and :ClaudeLog')
    return
  end
  report = nil
  require('claude_ide.channel').emit('check', {})
  vim.wait(START_MS, function()
    return report ~= nil or host.server() == nil
  end, 20)
  local server = host.server()
  if not server then
    health.error('The host ended before it answered', 'See :ClaudeLog')
    return
  elseif not report then
    health.error('The host does not answer', 'See :ClaudeLog')
  end
  for _, step in ipairs(report or {}) do
    local show = step.ok and health.ok or health.error
    show(plain.one_line(('%s: %s'):format(step.name, step.seen)))
  end
  check_watch()
  local variable = vim.env.CLAUDE_CODE_SSE_PORT
  if variable == tostring(server.port) then
    health.ok('Terminals of this Neovim get CLAUDE_CODE_SSE_PORT=' .. variable)
  else
    health.error('CLAUDE_CODE_SSE_PORT is ' .. tostring(variable) .. ', not the server’s')
  end
  if not was_running then
    vim.cmd('ClaudeStop!')
    health.info('The server was started for this check and stopped afterwards')
  end
end

local function check_cli()
  local cmd = (vim.g.claude_ide or {}).cmd or 'claude'
  local name = type(cmd) == 'table' and cmd[1] or cmd
  local path = require('claude_ide.system.program').find_cli(name)
  if path then
    health.ok(name .. ': ' .. path)
  else
    local problem = name:find('[/\\]') and 'no program' or 'not on PATH'
    local install = 'npm install -g @anthropic-ai/claude-code'
    health.warn(
      ('%s is %s'):format(name, problem),
      name == 'claude' and install or 'Correct g:claude_ide.cmd'
    )
  end
end

-- Whether a process exists. The next CLI deletes the locks of those that do not.
local function is_alive(pid)
  local ok, _, code = vim.uv.kill(pid, 0)
  return ok == 0 or code == 'EPERM'
end

local function is_for(lock, folder)
  local workspaces = type(lock.workspaceFolders) == 'table' and lock.workspaceFolders or {}
  return vim.iter(workspaces):any(function(workspace)
    return type(workspace) == 'string' and vim.fs.relpath(workspace, folder) ~= nil
  end)
end

-- Whether a lock announces another editor for the current folder.
---@param lock table
local function is_rival(lock)
  return type(lock.pid) == 'number'
    and lock.pid ~= vim.fn.getpid()
    and is_alive(lock.pid)
    and is_for(lock, vim.fn.getcwd())
end

-- If several editors announce the same folder, `claude --ide` connects to none of them.
local function check_rivals()
  local locks = require('claude_ide.host.lock')
  local rivals = {}
  for _, path in ipairs(locks.list(locks.folder())) do
    local lock = locks.read(path)
    if lock and is_rival(lock) then
      local name = type(lock.ideName) == 'string' and lock.ideName or 'an editor'
      table.insert(rivals, plain.one_line(('%s (pid %d)'):format(name, lock.pid)))
    end
  end
  if #rivals > 0 then
    health.warn(
      'Another editor has this folder open: ' .. table.concat(rivals, ', '),
      'Start claude from a terminal in this Neovim (:Claude), or choose with /ide'
    )
  end
end

--- Run all checks; called by `:checkhealth`.
function M.check()
  health.start('claude_ide')
  health.ok('Neovim ' .. tostring(vim.version()))
  if check_python() then
    check_server()
  end
  check_cli()
  check_rivals()
end

return M
