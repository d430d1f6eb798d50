--- The diagnostics that each namespace has published for a buffer. Each is read and converted only once:
--- a later conversion, after a change of the text, would differ and look like a new diagnostic.
local edit = require('claude_ide.file.edit')
local events = require('claude_ide.checking.events')
local item = require('claude_ide.diagnostics.item')
local tables = require('claude_ide.diagnostics.tables')

local M = {}

local SEVERITIES = { 1, 2, 3, 4 }
-- Milliseconds for which a buffer has priority.
local FRESH = 60000
-- Stands for an unknown namespace.
local ANY = 0

---@class claude_ide.DiagnosticSet
---@field bufnr integer
---@field list vim.Diagnostic[]
---@field is_own boolean whether the tables in `list` are Neovim's own, not copies
---@field by_severity vim.Diagnostic[][]
---@field items claude_ide.DiagnosticItem[][] converted ones, by severity
---@field text? string[] the lines that they were published for, if the buffer's text was replaced since

---@type table<integer, table<integer, claude_ide.DiagnosticSet>> by buffer and namespace
local sets = {}

---@type table<integer, table<integer, integer>|false> by buffer and severity; false if unknown
local counts = {}

---@type table<integer, table<integer, true>> by buffer: namespaces that have published since the last read
local outdated = {}

---@type table<integer, integer> when a buffer was last asked for or its text replaced, in milliseconds
local prioritized = {}

local group ---@type integer?

local function on_changed(bufnr, namespace)
  counts[bufnr], outdated[bufnr] = false, outdated[bufnr] or {}
  outdated[bufnr][namespace or ANY] = true
end

local function forget(bufnr)
  tables.forget(bufnr)
  for _, known in ipairs({ sets, counts, outdated, prioritized }) do
    known[bufnr] = nil
  end
end

--- The number of a buffer's diagnostics of each severity.
---@param bufnr integer
---@return table<integer, integer> by severity
function M.count(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    forget(bufnr)
    return {}
  end
  local count = counts[bufnr] or vim.diagnostic.count(bufnr)
  counts[bufnr] = count
  return count
end

--- The buffers that have any diagnostics.
---@return integer[] bufnrs
function M.bufnrs()
  local bufnrs = vim.tbl_filter(function(bufnr)
    return next(M.count(bufnr)) ~= nil
  end, vim.tbl_keys(counts))
  table.sort(bufnrs)
  return bufnrs
end

local function is_alike(one, other)
  return one.lnum == other.lnum
    and one.col == other.col
    and one.end_lnum == other.end_lnum
    and one.end_col == other.end_col
    and one.severity == other.severity
    and one.message == other.message
    and one.source == other.source
    and one.code == other.code
end

-- Whether a list is unchanged. Each publish creates new tables, so Neovim's own are compared by identity;
-- copies can be compared only by content.
local function is_same(set, list, is_own)
  if #set.list ~= #list then
    return false
  end
  local is_equal = set.is_own and is_own and rawequal or is_alike
  for index, diagnostic in ipairs(list) do
    if not is_equal(diagnostic, set.list[index]) then
      return false
    end
  end
  return true
end

local function new_set(bufnr, list, is_own)
  local by_severity, items = {}, {}
  for _, severity in ipairs(SEVERITIES) do
    by_severity[severity], items[severity] = {}, {}
  end
  for _, diagnostic in ipairs(list) do
    local alike = by_severity[diagnostic.severity]
    if alike then
      alike[#alike + 1] = diagnostic
    end
  end
  return {
    bufnr = bufnr,
    list = list,
    is_own = is_own,
    by_severity = by_severity,
    items = items,
  }
end

-- Whether a set needs no new read. Its count is compared, too: a reset of all namespaces names only one.
local function is_still_valid(set, namespace, changed)
  return not changed[ANY]
    and not changed[namespace]
    and tables.count(set.bufnr, { namespace = namespace }) == #set.list
end

local function renewed(bufnr, namespace, set)
  local changed = outdated[bufnr]
  if set and is_still_valid(set, namespace, changed) then
    return set
  end
  local list, is_own = tables.of(bufnr, namespace)
  if set and not changed[namespace] and is_same(set, list, is_own) then
    return set
  end
  return #list > 0 and new_set(bufnr, list, is_own) or nil
end

local function renew(bufnr)
  local known, found = sets[bufnr] or {}, {}
  for namespace in pairs(vim.diagnostic.get_namespaces()) do
    found[namespace] = renewed(bufnr, namespace, known[namespace])
  end
  sets[bufnr], outdated[bufnr] = found, nil
end

--- The sets of all namespaces for a buffer, in a stable order.
---@param bufnr integer
---@return claude_ide.DiagnosticSet[]
function M.of(bufnr)
  if outdated[bufnr] then
    renew(bufnr)
  end
  local found = {}
  for _, set in vim.spairs(sets[bufnr] or {}) do
    found[#found + 1] = set
  end
  return found
end

-- For buffers that are not loaded: without the text, bytes cannot be converted to characters.
local function without_text() end

-- A function from a row to its text. It caches one line, since diagnostics of a line are mostly adjacent.
local function lines_of(set)
  local bufnr, text = set.bufnr, set.text
  if not text and not vim.api.nvim_buf_is_loaded(bufnr) then
    return without_text
  end
  local last_row, last_text
  return function(row)
    if row ~= last_row then
      last_row = row
      last_text = text and text[row + 1]
        or not text and vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
        or ''
    end
    return last_text
  end
end

--- A function from a severity and an index to the item. It is valid until a text changes.
---@param set claude_ide.DiagnosticSet
---@return fun(severity: integer, index: integer): claude_ide.DiagnosticItem?
function M.reader(set)
  local text_of = lines_of(set)
  return function(severity, index)
    local items, diagnostic = set.items[severity], set.by_severity[severity][index]
    if diagnostic and not items[index] then
      items[index] = item.of(diagnostic, text_of)
    end
    return items[index]
  end
end

local function is_read(set)
  return vim.iter(SEVERITIES):all(function(severity)
    return #set.items[severity] == #set.by_severity[severity]
  end)
end

--- Give a buffer priority for a while.
---@param bufnr integer
function M.prioritize(bufnr)
  prioritized[bufnr] = vim.uv.now()
end

--- Split buffers into those with priority and the others; both keep the given order.
---@param bufnrs integer[]
---@return integer[] first
---@return integer[] others
function M.by_priority(bufnrs)
  local since = vim.uv.now() - FRESH
  local first, others = {}, {}
  for _, bufnr in ipairs(bufnrs) do
    local is_first = (prioritized[bufnr] or since) > since
    table.insert(is_first and first or others, bufnr)
  end
  return first, others
end

-- Called before the text of a buffer is replaced: diagnostics that were published for this text are
-- converted with it later.
local function keep_text(bufnr)
  M.prioritize(bufnr)
  if not next(M.count(bufnr)) then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  for _, set in ipairs(M.of(bufnr)) do
    if not set.text and not is_read(set) then
      set.text = lines
    end
  end
end

--- Track published diagnostics until `stop`.
function M.start()
  if group then
    return
  end
  group = vim.api.nvim_create_augroup('claude_ide_diagnostic_sets', { clear = true })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      forget(event.buf)
    end,
  })
  tables.start()
  events.subscribe(on_changed)
  edit.subscribe(keep_text)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    on_changed(bufnr)
  end
end

--- Stop tracking, and drop everything.
function M.stop()
  if group then
    vim.api.nvim_del_augroup_by_id(group)
    tables.stop()
    events.unsubscribe(on_changed)
    edit.unsubscribe(keep_text)
  end
  group, sets, counts, outdated, prioritized = nil, {}, {}, {}, {}
end

return M
