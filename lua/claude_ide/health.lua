--- `:checkhealth claude_ide`: checks each step from the command to a host, which then checks the rest.
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
local CHECK_MS = 60000 -- all agents, of which each has its own limit (`check.py`)

---@class claude_ide.HealthFinding
---@field level 'ok'|'info'|'warn'|'error'
---@field line string
---@field advice? string

---@type claude_ide.HealthFinding[]? what the host has found
local found

--- Called by the host with the findings of its check (`check.py`).
---@param findings claude_ide.HealthFinding[]
function M.receive(findings)
  found = findings
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
  found = nil
  require('claude_ide.channel').emit('check', {})
  vim.wait(CHECK_MS, function()
    return found ~= nil or host.server() == nil
  end, 20)
  local server = host.server()
  if not server then
    health.error('The host ended before it answered', 'See :ClaudeLog')
    return
  elseif not found then
    health.error('The host does not answer', 'See :ClaudeLog')
  end
  local variable = vim.env.CLAUDE_CODE_SSE_PORT
  if variable == tostring(server.port) then
    health.ok('Terminals of this Neovim get CLAUDE_CODE_SSE_PORT=' .. variable)
  else
    health.error('CLAUDE_CODE_SSE_PORT is ' .. tostring(variable) .. ', not the server’s')
  end
  for _, finding in ipairs(found or {}) do
    health[finding.level](plain.one_line(finding.line), finding.advice)
  end
  if not was_running then
    vim.cmd('ClaudeStop!')
    health.info('The server was started for this check and stopped afterwards')
  end
end

--- Run all checks; called by `:checkhealth`.
function M.check()
  local root = require('claude_ide.host.python').root
  local file = table.concat(vim.fn.readfile(root .. '/python/claude_ide/__init__.py'), '\n')
  health.start('claude_ide')
  health.ok('claude-ide ' .. (file:match('__version__ = "([^"]+)"') or '?'))
  health.ok('Neovim ' .. tostring(vim.version()))
  if check_python() then
    check_server()
  end
  if #vim.fn.getcompletion('claude-ide-intro', 'help') == 0 then
    local remedy = ('Run :ClaudeInstall, or :helptags %s/doc'):format(root)
    health.warn('The help of the plugin has no tags', remedy)
  end
end

return M
