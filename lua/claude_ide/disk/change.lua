--- Reacts to a change on disk, which the host has noticed: the buffer is updated, or a message says why not.
--- Also tells the host which files to watch (`disk_watch.py`).
local channel = require('claude_ide.channel')
local disk_report = require('claude_ide.disk.report')
local file = require('claude_ide.file.path')
local file_write = require('claude_ide.file.write')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local reload = require('claude_ide.disk.reload')
local slices = require('claude_ide.when.slices')

local M = {}

-- Milliseconds.
local RETRY = 50
local RECENT = 1000
local FIRST_REST = 100
local RESTLESS_REST = 1000
local LONGEST_REST = 10000
local SHARE = 10 -- a buffer rests this many times as long as its update took

local LOADED = { 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufUnload' }

---@class claude_ide.Rest
---@field length number milliseconds
---@field ends number time of libuv, in milliseconds

local wanted = {} ---@type table<string, true> who wants the watch
local is_on = false
local waiting = {} ---@type table<integer, true> buffers to check
local is_checking = false
local rests = {} ---@type table<integer, claude_ide.Rest>
local unreported = {} ---@type table<integer, true> buffers that the host does not know, or should forget

local function check_soon(bufnr, delay)
  vim.defer_fn(function()
    M.changed_in({ bufnr })
  end, math.ceil(delay))
end

-- The more often a file is written, the less often its buffer is updated.
local function rest(bufnr, spent, is_restless)
  local now, last = vim.uv.now(), rests[bufnr]
  local is_again = last and now - last.ends < RECENT + last.length
  local length = is_again and math.max(last.length * 2, FIRST_REST) or 0
  length = math.max(length, spent * SHARE, is_restless and RESTLESS_REST or 0)
  length = math.min(length, LONGEST_REST)
  rests[bufnr] = { length = length, ends = now + length }
end

local function remaining_rest(bufnr)
  return rests[bufnr] and rests[bufnr].ends - vim.uv.now() or 0
end

-- Once the user has undone their changes, the buffer can be updated.
local function check_when_unmodified(bufnr)
  local group = vim.api.nvim_create_augroup('claude_ide_disk_change_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufModifiedSet', 'BufUnload' }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.event == 'BufUnload' or not file_write.is_in_conflict(bufnr) then
        vim.api.nvim_del_augroup_by_id(group)
      elseif not vim.bo[bufnr].modified then
        vim.api.nvim_del_augroup_by_id(group)
        reload.mark_unknown(bufnr)
        check_soon(bufnr, 0)
      end
    end,
  })
end

local function keep(bufnr, path)
  if file_write.notice_conflict(bufnr) then
    disk_report.kept(path)
  end
  reload.mark_known(bufnr)
  check_when_unmodified(bufnr)
end

local function follow(bufnr)
  reload.notice(bufnr, function(spent, is_restless)
    rest(bufnr, spent, is_restless)
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modified then
      check_when_unmodified(bufnr)
    end
    M.changed_in({ bufnr })
  end)
end

local function check(bufnr)
  local path = vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or nil
  if not path or reload.is_expected(bufnr) or not reload.unknown_stamp(bufnr) then
    return
  elseif not moment.is_possible() then
    return check_soon(bufnr, RETRY)
  elseif remaining_rest(bufnr) > 0 then
    return check_soon(bufnr, remaining_rest(bufnr))
  elseif not reload.is_followed(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    return keep(bufnr, path)
  end
  follow(bufnr)
end

local function check_all()
  local bufnrs = vim.tbl_keys(waiting)
  waiting = {}
  slices.each(bufnrs, function(bufnr)
    local ok, err = pcall(check, bufnr)
    if not ok then
      message.show(tostring(err), 'error')
    end
  end, function()
    is_checking = false
    M.changed_in({})
  end)
end

--- Check buffers soon: their files may have changed. The host calls this.
---@param bufnrs integer[]
function M.changed_in(bufnrs)
  if not is_on then
    return
  end
  for _, bufnr in ipairs(bufnrs) do
    waiting[bufnr] = true
  end
  if not is_checking and next(waiting) then
    is_checking = true
    vim.schedule(check_all)
  end
end

--- Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
--- unsaved changes to an earlier text.
---@param bufnr integer
---@return boolean
function M.is_behind(bufnr)
  return file_write.is_in_conflict(bufnr)
    or (reload.unknown_stamp(bufnr) ~= nil and file_write.has_other_time(bufnr))
end

-- Tell the host of the buffers that have been loaded, renamed or unloaded in the meantime.
local function report_files()
  local files = {}
  for bufnr in pairs(unreported) do
    local path = vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or ''
    table.insert(files, { bufnr = bufnr, path = path })
  end
  unreported = {}
  if is_on and #files > 0 then
    channel.emit('files_loaded', { files = files })
  end
end

local function report_soon(bufnr)
  if not next(unreported) then
    vim.schedule(report_files)
  end
  unreported[bufnr] = true
end

--- Tell the host of all loaded buffers: it knows none yet.
function M.report_all()
  for _, bufnr in ipairs(is_on and vim.api.nvim_list_bufs() or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) then
      report_soon(bufnr)
    end
  end
end

--- Update buffers after writes to their files, as long as `who` or another part wants it.
---@param who 'server'|'chats'
---@param on boolean
function M.watch(who, on)
  wanted[who] = on or nil
  on = next(wanted) ~= nil
  if on == is_on then
    return
  end
  is_on, waiting, rests = on, {}, {}
  local group = vim.api.nvim_create_augroup('claude_ide_disk_change', { clear = true })
  if on then
    vim.api.nvim_create_autocmd(LOADED, {
      group = group,
      callback = function(event)
        report_soon(event.buf)
      end,
    })
    M.report_all()
  else
    channel.emit('files_unwatched', {})
  end
end

return M
