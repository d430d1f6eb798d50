--- Runs the model's tools for the host. A tool is a function `(arguments, answer)`. It returns its answer, a
--- table; or it calls `answer` once, later, with a table, which may be JSON already, or with `{ error = … }`,
--- and may return a function that cancels its work.
local channel = require('claude_ide.channel')
local reason = require('claude_ide.messages.reason')

local M = {}

--- Milliseconds. Less than the host waits (`BEGIN_SECONDS` in `editor/tools.py`).
M.begins_within = 4000

---@alias claude_ide.ToolAnswer fun(result: table|string)
---@alias claude_ide.Tool fun(arguments: table, answer: claude_ide.ToolAnswer): table|fun()|nil

---@type table<integer, fun()|false> by token: what cancels a running tool
local running = {}

local function finish(token, result)
  if running[token] == nil then
    return
  end
  running[token] = nil
  local ok, json = true, result
  if type(result) ~= 'string' then
    ok, json = pcall(vim.json.encode, result)
  end
  if not ok then
    json = vim.json.encode({ error = reason.of(json) })
  end
  channel.emit('answered', { token = token, json = json })
end

local function now()
  return vim.uv.hrtime() / 1e6
end

--- The time at which the host gives a tool up that has not begun, by Neovim's own clock.
---@return number milliseconds
function M.deadline()
  return now() + M.begins_within
end

--- Run the tool `module.name`. Emits `answered` {token, json}.
---
--- After the deadline it does nothing: the host has told the model that Neovim was busy.
---@param token integer
---@param deadline number from `deadline`
---@param tool string
---@param arguments table
---@return boolean has_begun
function M.begin(token, deadline, tool, arguments)
  if now() > deadline then
    return false
  end
  local module, name = tool:match('^(.*)%.([^.]*)$')
  running[token] = false
  local function answer(result)
    finish(token, result)
  end
  local ok, result = pcall(function()
    return require('claude_ide.' .. module)[name](arguments, answer)
  end)
  if not ok then
    answer({ error = reason.of(result) })
  elseif type(result) == 'table' then
    answer(result)
  elseif running[token] ~= nil then
    running[token] = result or false
  end
  return true
end

--- Cancel a tool, without an answer.
---@param token integer
function M.cancel(token)
  local cancel = running[token]
  running[token] = nil
  if cancel then
    cancel()
  end
end

return M
