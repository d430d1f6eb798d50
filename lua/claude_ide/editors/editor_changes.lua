--- Reports changes of the set of open files and of their states.
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local editors = require('claude_ide.editors.open_editors')
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')
local recent = require('claude_ide.window.recent')

local M = {}

local api = vim.api

local INTERVAL = 100
-- Up to this number, each report is a complete snapshot: it takes less than a millisecond, and includes
-- changes that caused no event. Beyond it, only buffers that may have changed are examined.
local MOST_WHOLE = 100
local EVENTS = {
  'BufAdd',
  'BufDelete',
  'BufEnter',
  'BufFilePost',
  'BufModifiedSet',
  'BufReadPost',
  'BufWipeout',
  'BufWritePost',
  'DirChanged',
  'FileChangedShellPost',
  'FileType',
  'TabClosed',
  'TabEnter',
  'WinEnter',
}

---@class claude_ide.EditorsChange
---@field changed claude_ide.Editor[] including new ones
---@field gone string[] `fileName` of those that are no longer open
---@field front string[] paths of those used since the last report, the most recent one first
---@field folders string[]
---@field current? string

local reported = {} ---@type table<integer, claude_ide.Editor> by buffer
local count = 0 -- of `reported`
local last ---@type table? the last report
local is_watching = false
-- Since the last report.
local touched = {} ---@type table<integer, true> buffers that may have changed
local entered = {} ---@type table<integer, true>
-- At the last report.
local shown_before = {} ---@type table<integer, any>
local highest = 0 -- buffer number

local function start_over()
  touched, entered = {}, {}
  shown_before, highest = editors.locations(), vim.fn.bufnr('$')
end

local function report_whole()
  local buffers = editors.buffers()
  local snapshot = editors.snapshot_of(buffers)
  reported, count = {}, #buffers
  for index, buffer in ipairs(buffers) do
    reported[buffer.bufnr] = snapshot.editors[index]
  end
  start_over()
  return snapshot
end

-- Buffers that are or were shown may have changed, and those with a higher number than before are new.
local function suspects(shown)
  local bufnrs = vim.tbl_extend('keep', touched, shown, shown_before)
  for bufnr = highest + 1, vim.fn.bufnr('$') do
    bufnrs[bufnr] = true
  end
  return vim.tbl_keys(bufnrs)
end

---@param bufnr integer
---@param now? claude_ide.Editor
---@param change claude_ide.EditorsChange
local function compare(bufnr, now, change)
  local before = reported[bufnr]
  if before and (not now or now.fileName ~= before.fileName) then
    table.insert(change.gone, before.fileName)
  end
  if now and not vim.deep_equal(now, before) then
    table.insert(change.changed, now)
  end
  reported[bufnr] = now
  count = count + (now and 1 or 0) - (before and 1 or 0)
end

local function recently_used()
  entered[api.nvim_get_current_buf()] = true
  local bufnrs = vim.tbl_filter(function(bufnr)
    return reported[bufnr] ~= nil
  end, vim.tbl_keys(entered))
  return vim.tbl_map(function(bufnr)
    return reported[bufnr].fileName
  end, recent.sort(bufnrs))
end

---@return claude_ide.EditorsChange
local function report_change()
  local active, shown = editors.active(), editors.locations()
  ---@type claude_ide.EditorsChange
  local change = {
    changed = {},
    gone = {},
    front = {},
    folders = file.folders(),
    current = editors.path_of(active),
  }
  local bufnrs = suspects(shown)
  local described = {}
  for _, buffer in ipairs(editors.buffers(bufnrs)) do
    local bufnr = buffer.bufnr
    described[bufnr] = editors.describe(buffer, shown[bufnr], bufnr == (active and active.bufnr))
  end
  for _, bufnr in ipairs(bufnrs) do
    compare(bufnr, described[bufnr], change)
  end
  change.front = recently_used()
  start_over()
  return change
end

local function report_if_new(event, report, now, has_changes)
  if has_changes or not vim.deep_equal(now, last) then
    last = now
    channel.emit(event, report)
  end
end

local function report()
  if count <= MOST_WHOLE then
    local snapshot = report_whole()
    return report_if_new('editors_changed', snapshot, snapshot, false)
  end
  local change = report_change()
  local now = { front = change.front[1], folders = change.folders, current = change.current }
  local has_changes = #change.changed > 0 or #change.gone > 0 or #change.front > 1
  report_if_new('some_editors_changed', change, now, has_changes)
end

--- The snapshot that later reports of changes refer to.
---@return claude_ide.Snapshot
function M.begin()
  return report_whole()
end

--- Emit `editors_changed` with a snapshot whenever it has changed. While very many files are open, emit
--- `some_editors_changed` with the changes instead.
---@param on boolean
function M.watch(on)
  local group = api.nvim_create_augroup('claude_ide_buffers', { clear = true })
  reported, count, last = {}, 0, nil
  is_watching = on
  editors.forget()
  if not on then
    return
  end
  start_over()
  local changed = debounce.new(INTERVAL, report).soon
  api.nvim_create_autocmd(EVENTS, {
    group = group,
    callback = function(event)
      touched[event.buf] = true
      if event.event == 'BufEnter' then
        entered[event.buf] = true
      end
      changed()
    end,
  })
end

privacy.subscribe(function()
  if is_watching then
    last = report_whole()
    channel.emit('editors_changed', last)
  end
end)

return M
