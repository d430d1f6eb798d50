--- Reports of the files that are open, as they change.
local channel = require('claude_ide.channel')
local editors = require('claude_ide.file.open_editors')
local folders = require('claude_ide.file.folders')
local throttle = require('claude_ide.when.throttle')
local usage = require('claude_ide.window.recent')

local M = {}

local api = vim.api

local INTERVAL = 100
-- Up to so many are sent as a whole with each change: that takes less than a millisecond, and mends
-- what has changed without an event. Beyond that, only those that have changed are looked at.
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
---@field changed claude_ide.Editor[] new ones included
---@field gone string[] what they were called
---@field front string[] those that were used since the last report, the one used last first
---@field folders string[]
---@field current? string

-- What has been reported, by the numbers of buffers, and how many that are.
local reported = {} ---@type table<integer, claude_ide.Editor>
local count = 0
local last ---@type table? what was reported last
-- Since the last report.
local touched = {} ---@type table<integer, true> what may have changed
local entered = {} ---@type table<integer, true>
-- At the last report.
local shown_before = {} ---@type table<integer, any>
local highest = 0 -- number of a buffer

local function settle()
  touched, entered = {}, {}
  shown_before, highest = editors.places(), vim.fn.bufnr('$')
end

local function report_whole()
  local buffers = editors.buffers()
  local snapshot = editors.whole(buffers)
  reported, count = {}, #buffers
  for index, buffer in ipairs(buffers) do
    reported[buffer.bufnr] = snapshot.editors[index]
  end
  settle()
  return snapshot
end

-- Whatever is or was shown may have changed, and a buffer with a higher number than any before is new.
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

local function in_front()
  entered[api.nvim_get_current_buf()] = true
  local bufnrs = vim.tbl_filter(function(bufnr)
    return reported[bufnr] ~= nil
  end, vim.tbl_keys(entered))
  return vim.tbl_map(function(bufnr)
    return reported[bufnr].fileName
  end, usage.sort(bufnrs))
end

---@return claude_ide.EditorsChange
local function report_change()
  local active, shown = editors.active(), editors.places()
  local change =
    { changed = {}, gone = {}, folders = folders.all(), current = editors.path_of(active) }
  local bufnrs = suspects(shown)
  local described = {}
  for _, buffer in ipairs(editors.buffers(bufnrs)) do
    local bufnr = buffer.bufnr
    described[bufnr] = editors.describe(buffer, shown[bufnr], bufnr == (active and active.bufnr))
  end
  for _, bufnr in ipairs(bufnrs) do
    compare(bufnr, described[bufnr], change)
  end
  change.front = in_front()
  settle()
  return change
end

local function report_if_new(event, report, now, has_moved)
  if has_moved or not vim.deep_equal(now, last) then
    last = now
    channel.emit(event, report)
  end
end

local function look()
  if count <= MOST_WHOLE then
    local snapshot = report_whole()
    return report_if_new('editors_changed', snapshot, snapshot, false)
  end
  local change = report_change()
  local now = { front = change.front[1], folders = change.folders, current = change.current }
  local has_moved = #change.changed > 0 or #change.gone > 0 or #change.front > 1
  report_if_new('some_editors_changed', change, now, has_moved)
end

--- The snapshot that the changes reported from now on are changes of.
---@return claude_ide.Snapshot
function M.begin()
  return report_whole()
end

--- Emit `editors_changed` with a snapshot each time that it has changed; while very many files are
--- open `some_editors_changed`, with the changes only.
---@param on boolean
function M.watch(on)
  local group = api.nvim_create_augroup('claude_ide_buffers', { clear = true })
  reported, count, last = {}, 0, nil
  editors.forget()
  if not on then
    return
  end
  settle()
  local changed = throttle.new(INTERVAL, look)
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

return M
