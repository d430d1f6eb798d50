--- Runs the linters of nvim-lint, if it is loaded, and tells which of them are still running.
local events = require('claude_ide.checking.events')
local reason = require('claude_ide.say.reason')

local M = {}

-- Milliseconds from the end of a linter's process until its output has been read. A linter that has not
-- published by then has failed.
local LAG = 200

---@class claude_ide.LinterRun
---@field names table<string, true> linters that have not published yet
---@field ended? number when the last of them ended, in milliseconds

---@type table<integer, claude_ide.LinterRun> by buffer
local runs = {}

-- Does not load a plugin that is loaded lazily.
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

-- '_' (no other linters) and '*' (all filetypes) are additions of distributions to nvim-lint.
local function configured(lint, filetype)
  local names = of_filetype(lint.linters_by_ft, filetype)
  if #names == 0 then
    vim.list_extend(names, lint.linters_by_ft._ or {})
  end
  return vim.list_extend(names, lint.linters_by_ft['*'] or {})
end

-- Linters with diagnostics in the buffer, which may be outdated. An autocommand may have run other linters
-- than the configured ones, by name.
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

-- `condition` is an addition of distributions. A linter without standard input reads the file, whose lines
-- differ from those of a buffer with unsaved changes.
local function is_applicable(linter, bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local context = { filename = path, dirname = vim.fs.dirname(path) }
  return (linter.stdin or not vim.bo[bufnr].modified)
    and (not linter.condition or linter.condition(context))
end

-- A missing program is ignored: the user sees that error when saving.
local function start(lint, bufnr, name)
  return pcall(lint.try_lint, name, {
    ignore_errors = true,
    filter = function(linter)
      return is_applicable(linter, bufnr)
    end,
  })
end

local function on_published(bufnr, namespace)
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
    events.subscribe(on_published)
  end
end

local function forget(bufnr)
  runs[bufnr] = nil
  if not next(runs) then
    events.unsubscribe(on_published)
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

--- The linters that are checking a buffer.
---@param bufnr integer
---@return table<string, true> names
function M.running(bufnr)
  local lint = loaded()
  return lint and set_of(lint.get_running(bufnr)) or {}
end

--- Whether a linter has yet to publish for a buffer.
---@param bufnr integer
---@return boolean
function M.is_running(bufnr)
  local lint = loaded()
  return lint ~= nil and (#lint.get_running(bufnr) > 0 or is_publishing(bufnr))
end

--- Run the linters of the current buffer, except for those that are already checking its new text.
---@param bufnr integer the current one
---@param outdated table<string, true> those that were checking the previous text
---@return string? failure of the first linter that cannot be run
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
