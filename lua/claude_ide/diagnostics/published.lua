--- What each namespace has published for a buffer, and who is told of it. A publish gives the set another
--- version, so that the host reads each set once (`editor/diagnostics.py`).
local M = {}

local api = vim.api

local SEVERITIES = 4

---@alias claude_ide.DiagnosticListener fun(bufnr: integer, namespace?: integer)

---@class claude_ide.DiagnosticSet
---@field version integer
---@field counts? integer[] by severity
---@field is_counted boolean whether `counts` are the present ones
---@field shown? vim.Diagnostic[] Neovim's own tables, as it shows them
---@field rows? number lines of the buffer at that time; infinite if it was not loaded
---@field by_severity? vim.Diagnostic[][]

---@type table<integer, table<integer, claude_ide.DiagnosticSet>> by buffer and namespace; those without
--- diagnostics, too
local sets = {}
local last_version = 0
local listeners = {} ---@type table<claude_ide.DiagnosticListener, true>

-- The publish that Neovim is about to announce by `DiagnosticChanged`, which names no namespace.
---@type { bufnr: integer, namespace: integer }?
local latest

local function set_of(bufnr, namespace)
  sets[bufnr] = sets[bufnr] or {}
  local set = sets[bufnr][namespace] or { version = 0, is_counted = false }
  sets[bufnr][namespace] = set
  return set
end

local function renew(set)
  last_version = last_version + 1
  set.version, set.by_severity = last_version, nil
end

-- Neovim calls `hide` in each `vim.diagnostic.set`, unless the user has disabled diagnostics, and `show`
-- outside of Insert mode. That gets the tables themselves; `vim.diagnostic.get` returns copies, with all data
-- that a language server has attached.
vim.diagnostic.handlers.claude_ide = {
  hide = function(namespace, bufnr)
    set_of(bufnr, namespace).shown = nil
    latest = { bufnr = bufnr, namespace = namespace }
  end,
  show = function(namespace, bufnr, list)
    local is_loaded = api.nvim_buf_is_loaded(bufnr)
    local set = set_of(bufnr, namespace)
    set.shown, set.rows = list, is_loaded and api.nvim_buf_line_count(bufnr) or math.huge
  end,
}

-- `hide` is also called, without an announcement, when the user hides or disables diagnostics.
local function namespace_of(bufnr)
  local one = latest
  latest = nil
  local is_announced = one
    and one.bufnr == bufnr
    and vim.diagnostic.is_enabled({ bufnr = bufnr, ns_id = one.namespace })
  return is_announced and one.namespace or nil
end

-- Those that no handler has been told of: from before, or while the user has disabled diagnostics.
local function scan(bufnr)
  for namespace in pairs(vim.diagnostic.get_namespaces()) do
    if next(vim.diagnostic.count(bufnr, { namespace = namespace })) then
      renew(set_of(bufnr, namespace))
    end
  end
end

--- Only for this module: called by the autocommand.
---@param abuf string
function M.report(abuf)
  local bufnr = assert(tonumber(abuf))
  local namespace = namespace_of(bufnr)
  if namespace then
    renew(set_of(bufnr, namespace))
  else
    scan(bufnr)
  end
  for _, set in pairs(sets[bufnr] or {}) do
    set.is_counted = false
  end
  for fn in pairs(listeners) do
    fn(bufnr, namespace)
  end
end

--- Only for the session: report the change for which this module was loaded. Any of the namespaces may have
--- published, also an empty set.
---@param abuf string
function M.report_first(abuf)
  for namespace in pairs(vim.diagnostic.get_namespaces()) do
    renew(set_of(assert(tonumber(abuf)), namespace))
  end
  M.report(abuf)
end

local group = api.nvim_create_augroup('claude_ide_published', { clear = true })
api.nvim_create_autocmd('BufWipeout', {
  group = group,
  callback = function(event)
    sets[event.buf] = nil
  end,
})
-- A callback would receive copies of all diagnostics, which takes up to 10 ms for 5,000 of them.
api.nvim_create_autocmd('DiagnosticChanged', {
  group = group,
  command = "lua require('claude_ide.diagnostics.published').report(vim.fn.expand('<abuf>'))",
})
if next(vim.diagnostic.count()) then
  vim.iter(api.nvim_list_bufs()):each(scan)
end

--- Call `fn` with the buffer whenever its diagnostics change, and with the namespace, which is unknown while
--- the user has disabled diagnostics.
---@param fn claude_ide.DiagnosticListener
function M.subscribe(fn)
  listeners[fn] = true
end

---@param fn claude_ide.DiagnosticListener
function M.unsubscribe(fn)
  listeners[fn] = nil
end

--- The buffers for which something has published.
---@return integer[] bufnrs in their order
function M.bufnrs()
  local found = vim.tbl_keys(sets)
  table.sort(found)
  return found
end

-- Its counts are compared, because a reset of all namespaces names only one.
local function count(bufnr, namespace, set)
  local found, counts = vim.diagnostic.count(bufnr, { namespace = namespace }), {}
  for severity = 1, SEVERITIES do
    counts[severity] = found[severity] or 0
  end
  if set.counts and not vim.deep_equal(counts, set.counts) then
    renew(set)
  end
  set.counts, set.is_counted = counts, true
end

--- The sets of a buffer by namespace, with their present counts.
---@param bufnr integer
---@return table<integer, claude_ide.DiagnosticSet>
function M.sets(bufnr)
  for namespace, set in pairs(sets[bufnr] or {}) do
    if not set.is_counted then
      count(bufnr, namespace, set)
    end
  end
  return sets[bufnr] or {}
end

local function total(counts)
  local sum = 0
  for _, number in pairs(counts) do
    sum = sum + number
  end
  return sum
end

-- Whether Neovim shows all diagnostics of a set, none of them in another place: it moves those below the last
-- line up to it.
local function is_shown_as_published(bufnr, namespace, set)
  if not set.shown or #set.shown ~= total(set.counts) then
    return false
  end
  local last, at_end = set.rows - 1, 0
  for _, diagnostic in ipairs(set.shown) do
    at_end = at_end + (diagnostic.end_lnum >= last and 1 or 0)
  end
  local function on(lnum)
    return total(vim.diagnostic.count(bufnr, { namespace = namespace, lnum = lnum }))
  end
  return at_end == 0 or on(last) == at_end and on(last + 1) == 0
end

--- The diagnostics of one severity in a set, not to be changed; none if it has another version by now.
---@param bufnr integer
---@param namespace integer
---@param version integer
---@param severity integer
---@return vim.Diagnostic[]
function M.list(bufnr, namespace, version, severity)
  local set = M.sets(bufnr)[namespace]
  if not set or set.version ~= version then
    return {}
  elseif not set.by_severity then
    set.by_severity = { {}, {}, {}, {} }
    local all = is_shown_as_published(bufnr, namespace, set) and set.shown
      or vim.diagnostic.get(bufnr, { namespace = namespace })
    for _, diagnostic in ipairs(all) do
      table.insert(set.by_severity[diagnostic.severity] or {}, diagnostic)
    end
  end
  return set.by_severity[severity]
end

return M
