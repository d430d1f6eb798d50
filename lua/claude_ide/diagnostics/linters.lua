--- Linters that are not language servers. nvim-lint or ALE runs them, if loaded.
local reason = require('claude_ide.messages.reason')

local M = {}

local ALE = 'ale'

-- Vimscript also uses numbers as booleans.
local function is_on(setting)
  return setting ~= nil and setting ~= false and setting ~= 0
end

-- Does not load a plugin that is loaded lazily.
local function nvim_lint()
  local lint = package.loaded.lint
  return type(lint) == 'table' and lint.try_lint and lint.get_running and lint or nil
end

local function is_ale_running(bufnr)
  return is_on(vim.g.ale_use_neovim_diagnostics_api)
    and vim.fn.exists('*ale#engine#IsCheckingBuffer') == 1
    and is_on(vim.fn['ale#engine#IsCheckingBuffer'](bufnr))
end

-- ALE respects the buffer's `ale_enabled`. Linters that read the file would not see unsaved changes.
local function run_ale(bufnr)
  if vim.fn.exists(':ALELint') == 2 and is_on(vim.g.ale_lint_on_save) then
    vim.fn['ale#Queue'](0, vim.bo[bufnr].modified and '' or 'lint_file', bufnr)
  end
end

--- The linters that are checking a buffer now and will publish, by the names of their namespaces.
---@param bufnr integer
---@return table<string, true>
function M.running(bufnr)
  local lint, running = nvim_lint(), {}
  for _, name in ipairs(lint and lint.get_running(bufnr) or {}) do
    running[name] = true
  end
  running[ALE] = is_ale_running(bufnr) or nil
  return running
end

-- '_' (no other linters) and '*' (all filetypes) are additions of distributions to nvim-lint.
local function configured(by_filetype, filetype)
  local names = vim.list_extend({}, by_filetype[filetype] or {})
  for part in vim.gsplit(#names == 0 and filetype or '', '.', { plain = true }) do
    vim.list_extend(names, by_filetype[part] or {})
  end
  vim.list_extend(names, #names == 0 and by_filetype._ or {})
  return vim.list_extend(names, by_filetype['*'] or {})
end

-- Linters with diagnostics in the buffer, which may be outdated. An autocommand may have run other linters
-- than the configured ones, by name.
local function with_findings(lint, bufnr)
  local names = {}
  for namespace, owner in pairs(vim.diagnostic.get_namespaces()) do
    local is_linter = rawget(lint.linters, owner.name)
      or package.loaded['lint.linters.' .. owner.name]
    if is_linter and next(vim.diagnostic.count(bufnr, { namespace = namespace })) then
      table.insert(names, owner.name)
    end
  end
  return names
end

-- `condition` is an addition of distributions. A linter without standard input reads the file, whose lines
-- differ from those of a buffer with unsaved changes.
local function is_applicable(linter, bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local context = { filename = path, dirname = vim.fs.dirname(path) }
  return (linter.stdin or not vim.bo[bufnr].modified)
    and (not linter.condition or linter.condition(context))
end

-- A missing program is ignored: the user sees that error when saving.
local function run_nvim_lint(lint, bufnr, is_fresh)
  local names = configured(lint.linters_by_ft, vim.bo[bufnr].filetype)
  local options = {
    ignore_errors = true,
    filter = function(linter)
      return is_applicable(linter, bufnr)
    end,
  }
  local failure
  for _, name in ipairs(vim.list_extend(names, with_findings(lint, bufnr))) do
    if not is_fresh[name] then
      is_fresh[name] = true
      local ok, err = pcall(lint.try_lint, name, options)
      failure = failure or not ok and reason.of(err) or nil
    end
  end
  return failure
end

--- Run the linters that a save of the current buffer would run, except for those that are already
--- checking the new text.
---@param bufnr integer the current one
---@param outdated table<string, true> those that were checking the previous text
---@return string? failure of the first that cannot be run
function M.run(bufnr, outdated)
  local is_fresh = M.running(bufnr)
  for name in pairs(outdated) do
    is_fresh[name] = nil
  end
  local lint = nvim_lint()
  local failure = lint and run_nvim_lint(lint, bufnr, is_fresh) or nil
  if not is_fresh[ALE] then
    local ok, err = pcall(run_ale, bufnr)
    failure = failure or not ok and reason.of(err) or nil
  end
  return failure
end

return M
