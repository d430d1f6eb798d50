--- Linters that are not language servers. nvim-lint or ALE runs them, if loaded.
local nvim_lint = require('claude_ide.checking.nvim_lint')
local reason = require('claude_ide.say.reason')

local M = {}

---@class claude_ide.RunningLinters
---@field nvim_lint table<string, true> by name
---@field ale boolean

-- Vimscript also uses numbers as booleans.
local function is_on(setting)
  return setting ~= nil and setting ~= false and setting ~= 0
end

local function is_ale_running(bufnr)
  return vim.fn.exists('*ale#engine#IsCheckingBuffer') == 1
    and is_on(vim.fn['ale#engine#IsCheckingBuffer'](bufnr))
end

-- ALE respects the buffer's `ale_enabled`. Linters that read the file would not see unsaved changes.
local function run_ale(bufnr)
  if vim.fn.exists(':ALELint') == 2 and is_on(vim.g.ale_lint_on_save) then
    vim.fn['ale#Queue'](0, vim.bo[bufnr].modified and '' or 'lint_file', bufnr)
  end
end

--- The linters that are checking a buffer now.
---@param bufnr integer
---@return claude_ide.RunningLinters
function M.running(bufnr)
  return { nvim_lint = nvim_lint.running(bufnr), ale = is_ale_running(bufnr) }
end

--- Whether a linter has yet to publish for a buffer. ALE publishes in the tick in which its last linter
--- ends.
---@param bufnr integer
---@return boolean
function M.is_running(bufnr)
  return nvim_lint.is_running(bufnr)
    or (is_on(vim.g.ale_use_neovim_diagnostics_api) and is_ale_running(bufnr))
end

--- Run the linters that a save of the current buffer would run, except for those that are already
--- checking the new text.
---@param bufnr integer the current one
---@param outdated claude_ide.RunningLinters those that were checking the previous text
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
