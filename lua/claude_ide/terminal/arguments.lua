--- Completes the arguments of `:Claude`: the most common options of the CLI, and their values.
local M = {}

local MODES = { 'acceptEdits', 'auto', 'bypassPermissions', 'dontAsk', 'manual', 'plan' }
local EFFORTS = { 'low', 'medium', 'high', 'xhigh', 'max' }
-- Names that stand for the latest model of their kind.
local MODELS = { 'fable', 'haiku', 'opus', 'sonnet' }

---@param kind string of `getcompletion()`
local function paths(kind)
  return function(lead)
    return vim.tbl_map(vim.fn.fnameescape, vim.fn.getcompletion(lead, kind))
  end
end

---@type table<string, false|string[]|fun(lead: string): string[]> false: nothing can be completed
local VALUES = {
  ['--add-dir'] = paths('dir'),
  ['--append-system-prompt'] = false,
  ['--continue'] = {},
  ['--dangerously-skip-permissions'] = {},
  ['--effort'] = EFFORTS,
  ['--mcp-config'] = paths('file'),
  ['--model'] = MODELS,
  ['--permission-mode'] = MODES,
  ['--resume'] = function()
    return require('claude_ide.host.stored_sessions').ids()
  end,
  ['--settings'] = paths('file'),
  ['--verbose'] = {},
}

local function options()
  local names = vim.tbl_keys(VALUES)
  table.sort(names)
  return names
end

---@param option string? the word before the cursor's
---@param lead string
---@return string[]
local function values(option, lead)
  local found = VALUES[option]
  return type(found) == 'function' and found(lead) or found or {} --[[@as string[] ]]
end

--- Complete an option, or the value of the option before the cursor
--- (`:help :command-completion-customlist`).
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.complete(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  local option = words[#words - 1]
  local candidates = values(option, lead)
  if #candidates == 0 and VALUES[option] ~= false then
    candidates = options()
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
