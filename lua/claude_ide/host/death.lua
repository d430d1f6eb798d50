--- The unexpected end of a host: its reason, and whether the host may be restarted.
local M = {}

local MOST_RESTARTS = 3
local RESTART_WINDOW_MS = 60000
local UNABLE, UNSERVED = 3, 4 -- exit codes of a host that has printed the reason (`host.py`)
local SIGNALLED = 128 -- a killed process has a higher exit code

local restarts = {} ---@type integer[] times of recent restarts, in milliseconds

---@class claude_ide.Death
---@field text string names the exit code
---@field reason string one line
---@field lacks_python boolean whether `:ClaudeInstall` would help
---@field is_explained boolean whether the host itself has printed the reason
---@field was_killed boolean

--- Describe the end of a host.
---@param code integer its exit code
---@param stderr string[] lines
---@return claude_ide.Death
function M.of(code, stderr)
  local text = ('the Python host died (exit %d)'):format(code)
  return {
    text = text,
    reason = stderr[#stderr] or text,
    lacks_python = code == UNABLE,
    is_explained = code == UNABLE or code == UNSERVED,
    was_killed = code > SIGNALLED,
  }
end

--- Log a death. If the host died before it opened the log, this is the only trace.
---@param death claude_ide.Death
---@param stderr string[] lines
function M.log(death, stderr)
  local append = require('claude_ide.messages.log').appender()
  append(('%s\n%s\n'):format(death.text, table.concat(stderr, '\n')))
end

--- Count a restart, and refuse it after three within a minute.
---@return boolean may_restart
function M.may_restart()
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < RESTART_WINDOW_MS
  end, restarts)
  restarts[#restarts + 1] = now
  return #restarts <= MOST_RESTARTS
end

return M
