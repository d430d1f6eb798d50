--- Updates buffers after Claude or another program has written their files, without asking the user.
local announced = require('claude_ide.disk_changes.announced')
local autoread = require('claude_ide.file.autoread')
local buffers = require('claude_ide.file.buffers')
local changed = require('claude_ide.file.changed')
local disk_report = require('claude_ide.disk_changes.report')
local expected = require('claude_ide.disk_changes.expected')
local file = require('claude_ide.file.path')
local file_edit = require('claude_ide.file.edit')
local file_stamp = require('claude_ide.file.stamp')
local file_write = require('claude_ide.file.write')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local rebase = require('claude_ide.file.rebase')
local slices = require('claude_ide.timing.slices')
local unseen = require('claude_ide.unseen')
local written = require('claude_ide.file.written')

local M = {}

--- Milliseconds for which a write is expected.
M.comes_within = 10000

-- Milliseconds.
local POLL = 50
local SETTLED_EMPTY = 500
local RESTLESS = 2000
local REFUSED_WITHIN = 1000

local MISSING = file_stamp.MISSING

local is_polling = false

local follow ---@type fun(path: string, saved: claude_ide.SavedText)

---@type table<integer, string> by buffer; the stamp of the file in the state that Neovim knows
local known = {}

local function milliseconds()
  return vim.uv.hrtime() / 1e6
end

--- The current state of a file, for a write that is expected later.
---@param path string
---@return claude_ide.SavedText
function M.saved(path)
  local bufnr = buffers.loaded(path)
  return bufnr and expected.saved(bufnr) or { stamp = file_stamp.of(path) }
end

--- Whether a buffer is updated after a write that was not announced: always if the write is Claude's,
--- otherwise if 'autoread' is on.
---@param bufnr integer
---@return boolean
function M.is_followed(bufnr)
  return autoread.is_on(bufnr) or announced.has(vim.api.nvim_buf_get_name(bufnr))
end

local function may_be_followed(bufnr)
  return not vim.bo[bufnr].modified and M.is_followed(bufnr)
end

local function may_be_noticed(bufnr)
  return may_be_followed(bufnr) and not moment.is_in_use(bufnr)
end

-- Replace the buffer's text with that on disk, and reapply unsaved changes.
---@return string? notice
local function apply(write, text)
  local bufnr, saved = write.bufnr, write.saved.lines
  if not vim.bo[bufnr].modified then
    return file_edit.adopt(bufnr, text)
  elseif not saved then
    return 'has unsaved changes to an older text, which are kept as they are'
  end
  local theirs = file_edit.in_buffer(text.lines)
  local ours = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local lines, has_conflict = rebase.merge(saved, ours, theirs)
  file_edit.adopt(bufnr, text, lines)
  return has_conflict and 'your unsaved changes to the same lines are one undo away' or nil
end

local function reload(write, text)
  local ok, notice = pcall(apply, write, text)
  expected.forget(write)
  if not ok then
    notice = ('cannot be reloaded: %s'):format(notice)
  end
  if notice then
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(write.bufnr))
    message.show(('%s: %s'):format(name, notice), 'warn')
  end
  return ok and write.saved.lines ~= nil
end

-- Leave a buffer as it is if it has unsaved changes or its file is too large. Only for an accepted diff,
-- unsaved changes are reapplied.
---@return boolean is_kept
local function keep_text(write)
  local bufnr, is_modified = write.bufnr, vim.bo[write.bufnr].modified
  if not write.is_unannounced or not (is_modified or file_write.is_too_large(bufnr)) then
    return false
  end
  expected.forget(write)
  if is_modified then
    M.mark_known(bufnr)
    file_write.remember_conflict(bufnr)
    disk_report.kept(vim.api.nvim_buf_get_name(bufnr))
  end
  return true
end

-- Report the new text of a buffer; return whether it differs from the previous one.
local function report_change(write, path, before)
  if before then
    return disk_report.followed(write.bufnr, before)
  end
  -- The user has accepted this diff, so no message is needed.
  announced.take(path)
  unseen.updated(write.bufnr)
  return true
end

-- The file has been written again while the buffer was updated. Neovim regards both as the same write.
local function follow_next(write, saved)
  follow(vim.api.nvim_buf_get_name(write.bufnr), saved)
  local next_write = expected.of(write.bufnr)
  next_write.is_unannounced = write.is_unannounced
end

-- Update the buffer from the disk now, if possible, and if the file still has the stamp.
---@param write claude_ide.ExpectedWrite
---@param stamp string
---@return boolean is_updated
local function update(write, stamp)
  local path = vim.api.nvim_buf_get_name(write.bufnr)
  local text = moment.may_change(write.bufnr) and file_edit.read(write.bufnr)
  if not text or file_stamp.of(path) ~= stamp then
    return false
  end
  local before = write.is_unannounced and disk_report.before(write.bufnr)
  if not reload(write, text) then
    return false
  elseif file_stamp.of(path) ~= stamp then
    follow_next(write, { stamp = stamp, lines = text.lines })
  else
    known[write.bufnr] = stamp
    file_write.mark_read(write.bufnr)
  end
  if report_change(write, path, before) then
    written.report(write.bufnr)
  end
  return true
end

-- A file that is written constantly is left to Neovim for a while.
local function is_restless(write, now)
  write.moving_since = write.moving_since or now
  return write.is_unannounced and now - write.moving_since > RESTLESS
end

-- The stamp must be the same at two checks, or the buffer might get half a file. Most programs empty a file
-- before they write it, and on a busy machine some time may pass in between.
local function is_settled(write, stamp, now)
  local unchanged = now - (write.seen_at or 0)
  return unchanged >= (stamp and file_stamp.is_of_empty(stamp) and SETTLED_EMPTY or POLL)
end

local function check(write)
  if not vim.api.nvim_buf_is_loaded(write.bufnr) then
    return expected.forget(write)
  end
  local stamp, now = expected.new_stamp(write), milliseconds()
  if stamp ~= write.seen then
    write.seen, write.seen_at = stamp, now
    if is_restless(write, now) then
      expected.forget(write)
    end
    return
  end
  local has_settled = is_settled(write, stamp, now)
  write.moving_since = not has_settled and write.moving_since or nil
  if stamp and has_settled and (keep_text(write) or update(write, stamp)) then
    return
  end
  local is_late = has_settled and vim.uv.now() > write.deadline and moment.may_change(write.bufnr)
  -- A file that has changed while it was read is still to be followed.
  if is_late and expected.new_stamp(write) == stamp then
    expected.forget(write)
    -- Another program may have written the file before the write was expected.
    if not write.is_unannounced and may_be_noticed(write.bufnr) then
      M.notice(write.bufnr)
    end
  end
end

local function try_check(write)
  local ok, err = pcall(check, write)
  if not ok then
    message.show(tostring(err), 'error')
  end
end

-- The interval starts at the end of a round, because the checks take time, too.
local function poll()
  slices.each(vim.tbl_values(expected.all()), function(write)
    if expected.of(write.bufnr) == write then
      try_check(write)
    end
  end, function()
    is_polling = next(expected.all()) ~= nil
    if is_polling then
      vim.defer_fn(poll, POLL)
    end
  end)
end

local function wait_for(bufnr, saved)
  local write = expected.new(bufnr, saved, M.comes_within)
  if not is_polling then
    is_polling = true
    vim.defer_fn(poll, POLL)
  end
  return write
end

local function expect(path, earlier)
  local bufnr = buffers.loaded(path)
  if bufnr and not file_edit.is_translated(bufnr) then
    local write = expected.of(bufnr) or wait_for(bufnr, expected.saved(bufnr, earlier))
    write.is_unannounced = nil
    -- Another program may have written the file just before: then the agent may refuse to write.
    local is_behind = M.unknown_stamp(bufnr) and file_write.has_other_time(bufnr)
    write.deadline = vim.uv.now() + (is_behind and REFUSED_WITHIN or M.comes_within)
  end
end

follow = function(path, saved)
  expect(path, saved)
  local bufnr = buffers.loaded(path)
  local write = bufnr and expected.of(bufnr)
  local before = write and expected.saved_before(write.bufnr, saved)
  if write and before then
    write.saved = before
  end
end

--- Expect a write to a file that the user has accepted: its buffer, if loaded, is updated then, and unsaved
--- changes are reapplied.
---@param path string
---@param earlier? claude_ide.SavedText an earlier state of the file
function M.expect(path, earlier)
  announced.accept(path)
  expect(path, earlier)
end

--- Follow such a write that may already have happened, or is about to.
---@param path string
---@param saved claude_ide.SavedText the state of the file before
function M.follow(path, saved)
  announced.accept(path)
  follow(path, saved)
end

--- The stamp of a buffer's file, if Neovim may not know the file in its current state.
---@param bufnr integer
---@return string? stamp nil also if there is no file
function M.unknown_stamp(bufnr)
  local path = file.path(bufnr)
  local stamp = path and file_stamp.of(path) or MISSING
  return stamp ~= MISSING and stamp ~= known[bufnr] and stamp or nil
end

--- Record that Neovim knows the current state of a buffer's file.
---@param bufnr integer
function M.mark_known(bufnr)
  known[bufnr] = file_stamp.of_buffer(bufnr)
end

--- Record that Neovim may not know the current state of a buffer's file.
---@param bufnr integer
function M.mark_unknown(bufnr)
  known[bufnr] = nil
end

--- Whether a write to a buffer's file is expected or being followed.
---@param bufnr integer
---@return boolean
function M.is_expected(bufnr)
  return expected.of(bufnr) ~= nil
end

local rereading = {} ---@type table<integer, true> buffers whose file is about to be read again

local function reread(bufnr)
  local before = disk_report.before(bufnr)
  M.mark_known(bufnr)
  changed.reread(bufnr)
  if disk_report.followed(bufnr, before) then
    written.report(bufnr)
  end
end

-- Have Neovim read a file again once it is no longer being written and the user is not disturbed.
local function reread_soon(bufnr, stamp, deadline)
  rereading[bufnr] = true
  vim.defer_fn(function()
    rereading[bufnr] = nil
    local now = vim.api.nvim_buf_is_loaded(bufnr)
      and may_be_followed(bufnr)
      and M.unknown_stamp(bufnr)
    if not now then
      return
    elseif now == stamp and moment.may_change(bufnr) then
      reread(bufnr)
    elseif vim.uv.now() < deadline then
      reread_soon(bufnr, now, deadline)
    end
  end, POLL)
end

--- Look for a write to the file of an unmodified buffer that was not announced. If there was one, the
--- buffer is updated as soon as possible.
---@param bufnr integer
---@return claude_ide.ExpectedWrite? write nil if there was none
function M.notice(bufnr)
  local stamp = M.unknown_stamp(bufnr)
  if not stamp or file_write.is_too_large(bufnr) then
    return nil
  elseif file_edit.is_translated(bufnr) then
    if not rereading[bufnr] then
      reread_soon(bufnr, stamp, vim.uv.now() + M.comes_within)
    end
    return nil
  end
  local write =
    wait_for(bufnr, { stamp = '', lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) })
  write.is_unannounced = true
  if file_write.has_unread_change(bufnr) or file_write.is_in_conflict(bufnr) then
    write.seen, write.seen_at = stamp, milliseconds()
    return write
  end
  known[bufnr] = stamp
  expected.forget(write)
end

-- An empty file is left to `check`, which looks twice.
local function sync(bufnr)
  local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  if not is_loaded or not (expected.of(bufnr) or M.unknown_stamp(bufnr)) then
    return false
  end
  local write = expected.of(bufnr) or may_be_noticed(bufnr) and M.notice(bufnr) or nil
  local stamp = write and expected.new_stamp(write)
  return stamp ~= nil
    and not keep_text(write)
    and not file_stamp.is_of_empty(stamp)
    and update(write, stamp)
end

--- Update all loaded buffers whose files have been written, now.
---@return integer[] bufnrs of those that have changed
function M.sync()
  return moment.is_possible() and vim.tbl_filter(sync, vim.api.nvim_list_bufs()) or {}
end

--- Update one buffer now, if its file has been written.
---@param bufnr integer
---@return boolean is_changed
function M.sync_one(bufnr)
  return moment.is_possible() and sync(bufnr)
end

return M
