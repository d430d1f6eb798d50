--- The ids of the agents, without the host; and their completion after `@`.
local arguments = require('claude_ide.arguments')
local own_options = require('claude_ide.own_options')

local M = {}

--- The agents that are built in, and the user's (`agents/acp/kind.py`); Claude is the first.
---@return string[]
function M.list()
  local found = require('claude_ide.host.python').json('agents/acp/known.json').agents
  local own, has_claude = own_options.get('agents'), true
  for id, entry in pairs(type(own) == 'table' and own or {}) do
    local is_offered = entry ~= false and entry ~= 0
    if id == 'claude' then
      has_claude = is_offered
    elseif type(id) == 'string' then
      local is_known = found[id] ~= nil or type(entry) == 'table' and entry.cmd ~= nil
      found[id] = is_offered and is_known or nil
    end
  end
  local ids = vim.tbl_keys(found)
  table.sort(ids)
  return vim.list_extend(has_claude and { 'claude' } or {}, ids)
end

--- Complete `@` and an agent as the first word of `:ClaudeAsk`, `:ClaudeEdit` or `:ClaudeCommit`.
---@param lead string
---@param line string
---@param pos integer bytes
---@return string[] candidates
function M.complete(lead, line, pos)
  local command = line:sub(1, pos):match('Claude(%a+)%s+@?[%w_-]*$')
  if not vim.list_contains({ 'Ask', 'Edit', 'Commit' }, command) then
    return {}
  end
  return arguments.beginning(M.list(), lead, '@')
end

return M
