--- Which diff a command without a number applies to.
local layout = require('claude_ide.diff.layout')
local message = require('claude_ide.messages.message')

local M = {}

local function ask(shown, apply)
  local names = vim.tbl_map(function(diff)
    return ('%s (%s)'):format(vim.fn.fnamemodify(diff.path, ':~:.'), diff.title)
  end, shown)
  require('claude_ide.ui.vim_ui').select('Which diff?', names, function(index)
    if index then
      apply(shown[index])
    end
  end)
end

---@param diffs claude_ide.Diff[]
---@return claude_ide.Diff[] shown oldest first
local function shown_of(diffs)
  local shown = vim.tbl_filter(function(diff)
    return diff.view ~= nil
  end, diffs)
  table.sort(shown, function(a, b)
    return a.id < b.id
  end)
  return shown
end

--- Call `apply` with the current window's diff, else with the only one, else with the user's choice.
---@param diffs claude_ide.Diff[]
---@param apply fun(diff: claude_ide.Diff)
function M.choose(diffs, apply)
  local win = vim.api.nvim_get_current_win()
  local shown = shown_of(diffs)
  local here = vim.iter(shown):find(function(diff)
    return layout.has_window(diff.view, win)
  end)
  if here or #shown == 1 then
    apply(here or shown[1])
  elseif #shown > 1 then
    ask(shown, apply)
  else
    message.show('no diff is open', 'warn')
  end
end

return M
