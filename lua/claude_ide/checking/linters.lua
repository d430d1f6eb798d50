--- Linters that are no language servers, where nvim-lint or ALE is loaded to run them.
local nvim_lint = require('claude_ide.checking.nvim_lint')
local reason = require('claude_ide.say.reason')

local M = {}

---@class claude_ide.RunningLinters
---@field nvim_lint table<string, true> by name
---@field ale boolean

-- Vim script's booleans are numbers, too.
local function is_on(setting)
  return setting ~= nil and setting ~= false and setting ~= 0
end

local function is_ale_running(bufnr)
  return vim.fn.exists('*ale#engine#IsCheckingBuffer') == 1
    and is_on(vim.fn['ale#engine#IsCheckingBuffer'](bufnr))
end

-- It honours the buffer's own `ale_enabled`. A linter of files does not see unsaved changes.
local function run_ale(bufnr)
  if vim.fn.exists(':ALELint') == 2 and is_on(vim.g.ale_lint_on_save) then
    vim.fn['ale#Queue'](0, vim.bo[bufnr].modified and '' or 'lint_file', bufnr)
  end
end

--- What is at work on a buffer now.
---@param bufnr integer
---@return claude_ide.RunningLinters
function M.running(bufnr)
  return { nvim_lint = nvim_lint.running(bufnr), ale = is_ale_running(bufnr) }
end

--- Whether what a linter finds in a buffer is still to come. ALE publishes in the tick in which the
--- last of its linters ends.
---@param bufnr integer
---@return boolean
function M.is_running(bufnr)
  return nvim_lint.is_running(bufnr)
    or (is_on(vim.g.ale_use_neovim_diagnostics_api) and is_ale_running(bufnr))
end

--- Have the current buffer checked by the linters that a save would run, except for those that its
--- new text has started already.
---@param bufnr integer the current one
---@param outdated claude_ide.RunningLinters what was at work on the text before
---@return string? failure
function M.run(bufnr, outdated)
  local failure = nvim_lint.run(bufnr, outdated.nvim_lint)
  if outdated.ale or not is_ale_running(bufnr) then
    local ok, err = pcall(run_ale, bufnr)
    failure = failure or not ok and reason.of(err) or nil
  end
  return failure
end

return M
