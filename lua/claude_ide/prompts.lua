--- The prompts of the option `prompts`, which the user chooses by their names: `/explain`.
local message = require('claude_ide.messages.message')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

---@return table<string, string> by name
local function all()
  return vim.fn['claude_ide#arguments#Prompts']()
end

--- The text of a named prompt, with its placeholders.
---
--- Calls `use` unless the user chooses none.
---@param name string may be empty: the user chooses
---@param use fun(text: string)
function M.choose(name, use)
  local texts = all()
  if name ~= '' then
    return use(texts[name])
  end
  local list = vim.tbl_keys(texts)
  table.sort(list)
  if #list == 0 then
    return message.show('there are no prompts (:help claude-ide-prompts)', 'warn')
  end
  ui.select('Prompt', list, function(index)
    if index then
      use(texts[list[index]])
    end
  end)
end

--- The name in `/name`; empty if it is left out. Nil if the words are not the name of a prompt.
---@type fun(words: string): string?
function M.name_in(words)
  local name = vim.trim(words):match('^/([%w_-]*)$')
  return name and (name == '' or all()[name]) and name or nil
end

return M
