--- `:ClaudeInstall`: makes or updates the plugin's own Python environment.
local log = require('claude_ide.log')
local message = require('claude_ide.message')
local program = require('claude_ide.program')
local progress = require('claude_ide.progress')
local python = require('claude_ide.python')
local work = require('claude_ide.work')

local M = {}

local LONGEST_MS = 30 * 60 * 1000
local POLL_MS = 50

-- What the tools say in many lines, or in words that are theirs; each names a package.
local REASONS = {
  { 'Hash mismatch for `([^`]+)`', '%s has the wrong hash' },
  { '^%s+(%S+==%S+) from .+:$', '%s has the wrong hash' },
  { '(%S+==%S+) has no .*wheels', '%s has no wheel for this system' },
}

local running = false

local function has_ui()
  return #vim.api.nvim_list_uis() > 0
end

--- Say the result where it is seen: to whoever scripts Neovim, a failure is an error.
local function report(text, failed)
  if has_ui() then
    message.show(text, failed and 'error' or 'info')
  elseif failed then
    error('claude-ide: ' .. text, 0)
  else
    print('claude-ide: ' .. text)
  end
end

---@return string?
local function known_reason(line)
  for _, reason in ipairs(REASONS) do
    local package = line:match(reason[1])
    if package then
      return reason[2]:format(package)
    end
  end
end

--- The line that says why the installer failed: the last one that is an error, else the last.
---@param lines string[]
---@return string
function M.reason(lines)
  local known = vim.iter(lines):map(known_reason):next()
  if known then
    return known
  end
  for index = #lines, 1, -1 do
    local line = lines[index]
    -- pip's and uv's ways to mark it.
    if line:lower():find('^%s*error') or line:find('^%s*╰─▶') then
      return vim.trim(line)
    end
  end
  return vim.trim(lines[#lines] or 'the installer said nothing')
end

local function succeeded()
  local configured = (vim.g.claude_ide or {}).python
  if configured and configured ~= '' then
    return ('installed, but g:claude_ide.python is set: %s is what runs'):format(configured)
  end
  if require('claude_ide.host').outdate() then
    return 'Python is ready; :ClaudeStop | ClaudeStart changes over to it'
  end
  return 'Python is ready; :ClaudeStart starts the server'
end

--- Follow what the installer prints: to the log, and its latest line to `on_line`.
local function follower(lines, on_line)
  local append = log.appender()
  local rest = ''
  return function(_, chunk)
    if chunk then
      append(chunk)
    end
    local whole = vim.split(rest .. (chunk or '\n'), '\n')
    rest = table.remove(whole)
    for _, line in ipairs(whole) do
      if line:find('%S') then
        lines[#lines + 1] = line
        on_line(line)
      end
    end
  end
end

---@param path string of a Python
---@param on_end fun(text: string, failed: boolean)
local function start(path, on_end)
  local lines = {}
  local shown = progress.open('ClaudeInstall')
  local function on_line(line)
    shown.show(line)
    work.report('install', 'ClaudeInstall', line, 'running')
  end
  local script = require('claude_ide.host').root() .. '/python/claude_ide/install.py'
  local options = {
    text = true,
    -- What stands for several versions of Python asks the working folder which is meant.
    cwd = program.neutral,
    stdout = follower(lines, vim.schedule_wrap(on_line)),
  }
  local function on_exit(done)
    running = false
    shown.close()
    local status = done.code == 0 and 'success' or 'failed'
    work.report('install', 'ClaudeInstall', status, status)
    if done.code == 0 then
      on_end(succeeded(), false)
    else
      on_end(('cannot install (see :ClaudeLog): %s'):format(M.reason(lines)), true)
    end
  end
  running = true
  work.report('install', 'ClaudeInstall', 'starting', 'running')
  vim.system({ path, '-I', script, python.own() }, options, vim.schedule_wrap(on_exit))
end

--- Make or update the environment, in the background; with `wait`, or where nobody looks at
--- Neovim, return when that is done.
---@param wait? boolean
function M.run(wait)
  if running then
    return report('an installation is running already', true)
  end
  local path = python.recent()
  if not path then
    return report('no Python 3.11 or newer found; install one, then run :ClaudeInstall', true)
  end
  if not wait and has_ui() then
    return start(path, report)
  end
  local result, impatient
  start(path, function(...)
    result = { ... }
    if impatient then
      report(...)
    end
  end)
  local function has_ended()
    return result ~= nil
  end
  if vim.wait(LONGEST_MS, has_ended, POLL_MS) then
    report(unpack(result))
  else
    impatient = true
    report('the installation goes on in the background', false)
  end
end

return M
