--- The end of a host that was not meant to end: its reason, and whether another one is started.
local M = {}

local MOST_RESTARTS = 3
local RESTART_WINDOW_MS = 60000
local UNABLE, UNSERVED = 3, 4 -- the exit codes of a host that has said what is wrong (`host.py`)
local SIGNALLED = 128 -- and above: the exit codes of those that were killed

local restarts = {} ---@type integer[] milliseconds

---@class claude_ide.Death
---@field text string names the exit code
---@field reason string in one line
---@field lacks_python boolean whether `:ClaudeInstall` is what it needs
---@field is_explained boolean whether the host has named the reason itself
---@field was_killed boolean

---@param code integer its exit code
---@param stderr string[] its lines
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

--- Log it: if the host died before it opened the log itself, this is all that is known.
---@param death claude_ide.Death
---@param stderr string[]
function M.log(death, stderr)
  local append = require('claude_ide.say.log').appender()
  append(('%s\n%s\n'):format(death.text, table.concat(stderr, '\n')))
end

--- Count a restart; hosts that die again and again are not started again and again.
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
