--- Completes the arguments of `:Claude`: the most common options of the CLI, and their values.
local M = {}

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
  ['--effort'] = { 'low', 'medium', 'high', 'xhigh', 'max' },
  ['--mcp-config'] = paths('file'),
  -- Names that stand for the latest model of their kind.
  ['--model'] = { 'fable', 'haiku', 'opus', 'sonnet' },
  ['--permission-mode'] = {
    'acceptEdits',
    'auto',
    'bypassPermissions',
    'dontAsk',
    'manual',
    'plan',
  },
  ['--resume'] = function()
    return require('claude_ide.host.stored_sessions').ids()
  end,
  ['--settings'] = paths('file'),
  ['--verbose'] = {},
}

--- Complete an option, or the value of the option before the cursor
--- (`:help :command-completion-customlist`).
---@param lead string
---@param line string
---@param pos integer bytes before the cursor
---@return string[]
function M.complete(lead, line, pos)
  local words = vim.split(line:sub(1, pos), '%s+')
  local known = VALUES[words[#words - 1]]
  local candidates = type(known) == 'function' and known(lead) or known or {} --[[@as string[] ]]
  if #candidates == 0 and known ~= false then
    candidates = vim.tbl_keys(VALUES)
    table.sort(candidates)
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
