--- The prompts of the option `prompts`, which the user chooses by their names: `/explain`.
local message = require('claude_ide.messages.message')
local own_options = require('claude_ide.own_options')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

local BUILT_IN = {
  explain = 'Explain this:\n{selection}',
  tests = 'Write tests for this:\n{selection}',
}

---@return table<string, string> by name
local function all()
  local own = own_options.get('prompts')
  local both = vim.tbl_extend('force', BUILT_IN, type(own) == 'table' and own or {})
  for name, text in pairs(both) do
    both[name] = type(text) == 'string' and text or nil
  end
  return both
end

local function names()
  local list = vim.tbl_keys(all())
  table.sort(list)
  return list
end

--- The text of a named prompt, with its placeholders.
---
--- Calls `use` unless the user chooses none.
---@param name string may be empty: the user chooses
---@param use fun(text: string)
function M.choose(name, use)
  if name ~= '' then
    return use(all()[name])
  end
  local list = names()
  if #list == 0 then
    return message.show('there are no prompts (:help claude-ide-prompts)', 'warn')
  end
  ui.select('Prompt', list, function(index)
    if index then
      use(all()[list[index]])
    end
  end)
end

--- The name in `/name`; empty if it is left out. Nil if the words are not the name of a prompt.
---@param words string
---@return string?
function M.name_in(words)
  local name = vim.trim(words):match('^/([%w_-]*)$')
  return name and (name == '' or all()[name]) and name or nil
end

--- Complete `/name` as the first word of a command, and placeholders in any.
---@param lead string
---@param line string
---@param pos integer bytes
---@return string[] candidates
function M.complete(lead, line, pos)
  if lead:find('^@') then
    return vim.fn['claude_ide#arguments#OfAgents'](lead, line, pos)
  end
  if not line:sub(1, pos):find('Claude%a+%s+/%S*$') then
    return require('claude_ide.contexts').complete(lead)
  end
  return vim.fn['claude_ide#arguments#Beginning'](names(), lead, '/')
end

return M
