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

local plain = require('claude_ide.messages.plain')

local M = {}

local health = vim.health
local START_MS = 8000
local AGENTS_MS = 60000 -- all agents, of which each has its own limit (`agent_check.py`)
-- The versions of the CLI with which the tests run (Makefile).
local OLDEST_CLI, NEWEST_CLI = '2.1.197', '2.1.330'

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

---@class claude_ide.HealthFinding
---@field level 'ok'|'info'|'warn'|'error'
---@field text string one line

---@type claude_ide.HealthFinding[]? what the host knows about other agents
local agents

--- Called by the host with what it knows about other agents (`agent_check.py`).
---@param findings claude_ide.HealthFinding[]
function M.receive_agents(findings)
  agents = findings
end

local function check_agents()
  local host = require('claude_ide.host')
  agents = nil
  require('claude_ide.channel').emit('check_agents', {})
  vim.wait(AGENTS_MS, function()
    return agents ~= nil or host.server() == nil
  end, 20)
  if not agents then
    health.warn('The host does not report on other agents', 'See :ClaudeLog')
  end
  for _, finding in ipairs(agents or {}) do
    health[finding.level](plain.one_line(finding.text))
  end
end

local function check_python()
  if require('claude_ide.host.install').is_running() then
    health.warn('Python is being installed', 'Run :checkhealth claude_ide again afterwards')
    return false
  end
  local python = require('claude_ide.host.python')
  local path, problem = python.find()
  local version
  if path then
    version, problem = python.check(path)
  end
  if version then
    health.ok(('Python %s: %s'):format(version, path))
    return true
  end
  ---@cast problem -nil
  local where = path and ('%s: %s'):format(path, problem) or problem
  health.error(plain.one_line(where), (python.remedy(problem)))
  return false
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
  check_agents()
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

-- The CLI's own words for how it can be installed.
local INSTALL_CLI = {
  'curl -fsSL https://claude.ai/install.sh | bash',
  'or: npm install -g @anthropic-ai/claude-code',
}

-- The output of a program, without the settings of the current folder; empty if it does not run.
---@param command string[]
---@return string
local function output_of(command)
  local neutral = require('claude_ide.system.program').neutral
  local options = { text = true, cwd = neutral }
  local ok, done = pcall(function()
    return vim.system(command, options):wait(START_MS)
  end)
  return ok and done.stdout or ''
end

---@return boolean is_claude whether this is Claude's CLI
local function check_cli_version(path)
  local version = output_of({ path, '--version' }):match('(%d+%.%d+%.%d+) %(Claude Code%)')
  if not version then
    health.ok(path .. ' (it is not known as a version of Claude Code)')
    return false
  end
  local words = ('Claude Code %s: %s'):format(version, path)
  if vim.version.lt(version, OLDEST_CLI) then
    health.warn(('%s (tested: %s to %s)'):format(words, OLDEST_CLI, NEWEST_CLI), 'claude update')
  elseif vim.version.gt(version, NEWEST_CLI) then
    health.ok(('%s (newer than the tested %s)'):format(words, NEWEST_CLI))
  else
    health.ok(words)
  end
  return true
end

-- Only the CLI reads its credentials. An older one without this command is not reported.
local function check_login(path)
  local ok, status = pcall(vim.json.decode, output_of({ path, 'auth', 'status', '--json' }))
  local is_logged_in = ok and type(status) == 'table' and status.loggedIn
  if is_logged_in == false then
    health.warn('The CLI is not logged in', 'Run :Claude, then /login')
  elseif is_logged_in then
    health.ok('The CLI is logged in')
  end
end

local function check_cli()
  local cmd = (vim.g.claude_ide or {}).cmd or 'claude'
  local name = type(cmd) == 'table' and cmd[1] or cmd
  if type(name) ~= 'string' then
    return
  end
  local path = require('claude_ide.system.program').find_cli(name)
  if path then
    if check_cli_version(path) then
      check_login(path)
    end
    return
  end
  local problem = name:find('[/\\]') and 'no program' or 'not on PATH'
  local advice = name == 'claude' and INSTALL_CLI or { 'Correct g:claude_ide.cmd' }
  health.warn(('%s is %s'):format(name, problem), advice)
end

local function check_help()
  if #vim.fn.getcompletion('claude-ide-intro', 'help') == 0 then
    local doc = require('claude_ide.host').root() .. '/doc'
    health.warn('The help of the plugin has no tags', 'Run :ClaudeInstall, or :helptags ' .. doc)
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

-- What cannot be read denies everything that it could deny, so it must be found quickly.
local function check_privacy()
  local problems, count = require('claude_ide.privacy').problems()
  for _, problem in ipairs(problems) do
    health.error(
      plain.one_line(problem),
      'Until this is mended, no file that it could deny leaves Neovim'
    )
  end
  if #problems == 0 then
    local rules = count == 1 and '1 rule' or ('%d rules'):format(count)
    health.ok(
      ('Private files: %s of yours, and names of secrets (:help claude-ide-privacy)'):format(rules)
    )
  end
end

---@return string version with the commit of a clone
local function version_of_plugin()
  local root = require('claude_ide.host').root()
  local file = vim.fn.readfile(root .. '/python/claude_ide/__init__.py')
  local version = table.concat(file, '\n'):match('__version__ = "([^"]+)"') or '?'
  local commit = ''
  if vim.uv.fs_stat(root .. '/.git') then
    local git = require('claude_ide.system.program').find('git') or ''
    commit = output_of({ git, '-C', root, 'log', '-1', '--format=(%h of %cs)' })
  end
  return vim.trim(('claude-ide %s %s'):format(version, commit))
end

--- Run all checks; called by `:checkhealth`.
function M.check()
  health.start('claude_ide')
  health.ok(version_of_plugin())
  health.ok('Neovim ' .. tostring(vim.version()))
  if check_python() then
    check_server()
  end
  check_cli()
  check_rivals()
  if require('claude_ide.privacy').is_known() then
    check_privacy()
  end
  check_help()
end

return M
