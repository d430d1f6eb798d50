--- nvim-lint, where it is loaded: which of its linters are at work, and having them look at a new text.
local events = require('claude_ide.checking.events')
local reason = require('claude_ide.say.reason')

local M = {}

-- Milliseconds from the end of a linter's process until its output has been read. What has published
-- nothing by then has failed.
local LAG = 200

---@class claude_ide.LinterRun
---@field names table<string, true> linters that have yet to publish
---@field ended? number when none of them was at work any more

---@type table<integer, claude_ide.LinterRun> by buffer
local runs = {}

-- A plugin that is loaded only when it is asked for stays unloaded.
local function loaded()
  local lint = package.loaded.lint
  return type(lint) == 'table' and lint.try_lint and lint.get_running and lint or nil
end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do
    set[name] = true
  end
  return set
end

local function of_filetype(by_filetype, filetype)
  local names = vim.list_extend({}, by_filetype[filetype] or {})
  if #names == 0 then
    for part in vim.gsplit(filetype, '.', { plain = true }) do
      vim.list_extend(names, by_filetype[part] or {})
    end
  end
  return names
end

-- Distributions add '_' and '*' to the filetypes that nvim-lint knows.
local function configured(lint, filetype)
  local names = of_filetype(lint.linters_by_ft, filetype)
  if #names == 0 then
    vim.list_extend(names, lint.linters_by_ft._ or {})
  end
  return vim.list_extend(names, lint.linters_by_ft['*'] or {})
end

-- An autocommand may run others, by name. What they have found may be wrong now.
local function with_findings(lint, bufnr)
  local names = {}
  for namespace, owner in pairs(vim.diagnostic.get_namespaces()) do
    local name = owner.name
    local is_linter = rawget(lint.linters, name) or package.loaded['lint.linters.' .. name]
    if is_linter and next(vim.diagnostic.count(bufnr, { namespace = namespace })) then
      table.insert(names, name)
    end
  end
  return names
end

-- Distributions add a `condition` to linters. One without standard input reads the file, whose lines
-- are others than those of a buffer with unsaved changes.
local function is_applicable(linter, bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local context = { filename = path, dirname = vim.fs.dirname(path) }
  return (linter.stdin or not vim.bo[bufnr].modified)
    and (not linter.condition or linter.condition(context))
end

-- If its program is missing, the user learns of that when saving.
local function start(lint, bufnr, name)
  return pcall(lint.try_lint, name, {
    ignore_errors = true,
    filter = function(linter)
      return is_applicable(linter, bufnr)
    end,
  })
end

local function hear(bufnr, namespace)
  local run = runs[bufnr]
  for name in pairs(run and run.names or {}) do
    if not namespace or namespace == vim.api.nvim_create_namespace(name) then
      run.names[name] = nil
    end
  end
end

local function follow(bufnr, names)
  runs[bufnr] = #names > 0 and { names = set_of(names) } or nil
  if runs[bufnr] then
    events.subscribe(hear)
  end
end

local function forget(bufnr)
  runs[bufnr] = nil
  if not next(runs) then
    events.unsubscribe(hear)
  end
end

local function is_publishing(bufnr)
  local run = runs[bufnr]
  if not run then
    return false
  end
  run.ended = run.ended or vim.uv.now()
  if next(run.names) and vim.uv.now() - run.ended < LAG then
    return true
  end
  forget(bufnr)
  return false
end

--- The linters that are at work on a buffer.
---@param bufnr integer
---@return table<string, true> names
function M.running(bufnr)
  local lint = loaded()
  return lint and set_of(lint.get_running(bufnr)) or {}
end

--- Whether what a linter finds in a buffer is still to come.
---@param bufnr integer
---@return boolean
function M.is_running(bufnr)
  local lint = loaded()
  return lint ~= nil and (#lint.get_running(bufnr) > 0 or is_publishing(bufnr))
end

--- Run the linters of the current buffer, except for those that its new text has started already.
---@param bufnr integer the current one
---@param outdated table<string, true> those that were at work on the text before
---@return string? failure of the first that cannot be run
function M.run(bufnr, outdated)
  local lint = loaded()
  if not lint then
    return nil
  end
  local started, failure = M.running(bufnr), nil
  local names = configured(lint, vim.bo[bufnr].filetype)
  for _, name in ipairs(vim.list_extend(names, with_findings(lint, bufnr))) do
    if not started[name] or outdated[name] then
      local ok, err = start(lint, bufnr, name)
      failure = failure or not ok and reason.of(err) or nil
      started[name], outdated[name] = true, nil
    end
  end
  follow(bufnr, lint.get_running(bufnr))
  return failure
end

return M
