--- Runs the model's tools for the host. A tool is a function `(arguments, answer)`. It returns its answer, a
--- table; or it calls `answer` once, later, with a table, which may be JSON already, or with `{ error = … }`,
--- and may return a function that cancels its work.
local channel = require('claude_ide.channel')
local reason = require('claude_ide.messages.reason')

local M = {}

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

--- Run the tool `module.name`. Emits `answered` {token, json}.
---
--- After the deadline it does nothing: the host has told the model that Neovim was busy.
---@param token integer
---@param deadline number in seconds, by the clock of the system
---@param tool string
---@param arguments table
---@return boolean has_begun
function M.begin(token, deadline, tool, arguments)
  local seconds, microseconds = vim.uv.gettimeofday()
  if seconds + microseconds / 1e6 > deadline then
    return false
  end
  local module, name = tool:match('^(.-)%.?([^.]*)$')
  running[token] = false
  local function answer(result)
    finish(token, result)
  end
  local ok, result = pcall(function()
    local run = reason.found(module, name)
    return module == '' and run(arguments) or run(arguments, answer)
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
