--- Buffers follow what Claude, or another program, writes to their files, without a question.
local autoread = require('claude_ide.disk.autoread')
local buffers = require('claude_ide.file.buffers')
local disk_report = require('claude_ide.disk.report')
local disk_watch = require('claude_ide.disk.watch')
local expected = require('claude_ide.disk.expected')
local file = require('claude_ide.file.path')
local file_edit = require('claude_ide.file.edit')
local file_stamp = require('claude_ide.file.stamp')
local file_write = require('claude_ide.file.write')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local named_files = require('claude_ide.disk.named_files')
local rebase = require('claude_ide.file.rebase')
local saved_text = require('claude_ide.disk.saved_text')
local slices = require('claude_ide.when.slices')
local written = require('claude_ide.file.written')

local M = {}

-- Milliseconds.
local POLL = 50
local PATIENCE = 10000
local RESTLESS = 2000

local MISSING = file_stamp.MISSING
local lines_of = saved_text.lines_of

local is_polling = false

--- The state of a buffer's file in which Neovim was found to know it.
---@type table<integer, string>
local known = {}

local function milliseconds()
  return vim.uv.hrtime() / 1e6
end

--- What a file holds now, for a write that is expected later.
---@param path string
---@return claude_ide.SavedText
function M.saved(path)
  local bufnr = buffers.loaded(path)
  return bufnr and saved_text.of(bufnr) or { stamp = file_stamp.of(path) }
end

--- Whether a buffer follows a write that was not announced: always if Claude wrote, else unless the
--- user has switched 'autoread' off.
---@param bufnr integer
---@return boolean
function M.is_followed(bufnr)
  return autoread.is_on(bufnr) or named_files.has(vim.api.nvim_buf_get_name(bufnr))
end

-- In the buffer that the user types in, the next key may act on what is there.
local function is_in_use(bufnr)
  return bufnr == vim.api.nvim_get_current_buf()
    and not vim.fn.mode(1):find('^n?t?$')
    and not moment.is_claudes_visual()
end

local function may_change(bufnr)
  return moment.is_possible() and not is_in_use(bufnr)
end

-- Take over what is on disk, with the user's unsaved changes on top of it.
local function apply(write, text)
  local bufnr, saved = write.bufnr, write.saved.lines
  if not vim.bo[bufnr].modified then
    return file_edit.adopt(bufnr, text)
  elseif not saved then
    return 'has unsaved changes to an older text, which are kept as they are'
  end
  local theirs = file_edit.in_buffer(text.lines)
  local lines, conflicts = rebase.merge(saved, lines_of(bufnr), theirs)
  file_edit.adopt(bufnr, text, lines)
  return conflicts > 0 and 'your unsaved changes to the same lines are one undo away' or nil
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

local function finish(write, spent, is_restless)
  if write.on_end then
    write.on_end(spent, is_restless)
  end
end

-- Unsaved changes are put on top of an accepted diff only; with any other write the buffer stays as it
-- is. So it does when the file has become too large.
local function keeps(write)
  local bufnr, is_modified = write.bufnr, vim.bo[write.bufnr].modified
  if not write.is_unannounced or not (is_modified or file_write.is_too_large(bufnr)) then
    return false
  end
  expected.forget(write)
  if is_modified then
    M.know(bufnr)
    file_write.remember_conflict(bufnr)
    disk_report.kept(vim.api.nvim_buf_get_name(bufnr))
  end
  finish(write, 0, false)
  return true
end

-- Report the text that the buffer has taken over; return whether it differs from the one before.
local function settle(write, path, before)
  if before then
    return disk_report.followed(write.bufnr, before, lines_of(write.bufnr))
  end
  -- A diff was accepted: that is all that there is to say.
  named_files.forget(path)
  return true
end

-- The file has been written once more while it was read, which Neovim takes for the same write.
local function follow_on(write, saved)
  M.follow(vim.api.nvim_buf_get_name(write.bufnr), saved)
  local next_write = expected.of(write.bufnr)
  next_write.is_unannounced, next_write.on_end = write.is_unannounced, write.on_end
  write.on_end = nil
end

-- Make the buffer hold what is on disk, and return whether it does.
local function take(write)
  local began = milliseconds()
  local path = vim.api.nvim_buf_get_name(write.bufnr)
  local stamp = file_stamp.of(path)
  local text = may_change(write.bufnr) and file_edit.read(write.bufnr)
  local before = write.is_unannounced and lines_of(write.bufnr)
  if not text or not reload(write, text) then
    return false
  elseif file_stamp.of(path) ~= stamp then
    follow_on(write, { stamp = stamp, lines = text.lines })
  else
    known[write.bufnr] = stamp
    file_write.mark_read(write.bufnr)
  end
  if settle(write, path, before) then
    written.report(write.bufnr)
  end
  finish(write, milliseconds() - began, false)
  return true
end

-- A file that is written all the time is left to Neovim for a while.
local function is_restless(write, now)
  write.moving_since = write.moving_since or now
  return write.is_unannounced and now - write.moving_since > RESTLESS
end

-- The stamp has to be the same at two looks, or the buffer would get half a file.
local function look(write)
  if not vim.api.nvim_buf_is_loaded(write.bufnr) then
    return expected.forget(write)
  end
  local stamp, now = expected.news(write), milliseconds()
  if stamp ~= write.seen then
    write.seen, write.seen_at = stamp, now
    if is_restless(write, now) then
      expected.forget(write)
      finish(write, 0, true)
    end
    return
  end
  local is_settled = now - (write.seen_at or 0) >= POLL
  write.moving_since = not is_settled and write.moving_since or nil
  if stamp and is_settled and (keeps(write) or take(write)) then
    return
  end
  if is_settled and vim.uv.now() > write.deadline and may_change(write.bufnr) then
    expected.forget(write)
  end
end

local function try_look(write)
  local ok, err = pcall(look, write)
  if not ok then
    message.show(tostring(err), 'error')
  end
end

-- Timed from the end of a look on: what is looked at takes time, too.
local function poll()
  slices.each(vim.tbl_values(expected.all()), function(write)
    if expected.of(write.bufnr) == write then
      try_look(write)
    end
  end, function()
    is_polling = next(expected.all()) ~= nil
    if is_polling then
      vim.defer_fn(poll, POLL)
    end
  end)
end

local function wait_for(bufnr, saved)
  local write = expected.new(bufnr, saved, PATIENCE)
  if not is_polling then
    is_polling = true
    vim.defer_fn(poll, POLL)
  end
  return write
end

--- A program is about to write a file: let its buffer, if loaded, show that, with unsaved changes
--- on top.
---@param path string
---@param earlier? claude_ide.SavedText what the file held at some time before
function M.expect(path, earlier)
  local bufnr = buffers.loaded(path)
  if bufnr then
    local write = expected.of(bufnr) or wait_for(bufnr, saved_text.of(bufnr, earlier))
    write.is_unannounced = nil
    write.deadline = vim.uv.now() + PATIENCE
  end
end

--- A program may have written a file by now, or is about to.
---@param path string
---@param saved claude_ide.SavedText what the file held before
function M.follow(path, saved)
  M.expect(path, saved)
  local bufnr = buffers.loaded(path)
  local before = bufnr and saved_text.before(bufnr, saved)
  if before then
    expected.of(bufnr).saved = before
  end
end

--- The stamp of a buffer's file, if Neovim has not been found to know the file in that state.
---@param bufnr integer
---@return string? stamp nil where there is no file
function M.unknown(bufnr)
  local path = file.path(bufnr)
  local stamp = path and file_stamp.of(path) or MISSING
  return stamp ~= MISSING and stamp ~= known[bufnr] and stamp or nil
end

--- Neovim knows the file of a buffer as it is.
---@param bufnr integer
function M.know(bufnr)
  known[bufnr] = file_stamp.of_buffer(bufnr)
end

--- Neovim may not know the file of a buffer as it is.
---@param bufnr integer
function M.doubt(bufnr)
  known[bufnr] = nil
end

--- Whether a write to a buffer's file is being followed, or expected.
---@param bufnr integer
---@return boolean
function M.is_expected(bufnr)
  return expected.of(bufnr) ~= nil
end

--- A write that was not announced, to the file of a buffer that holds nothing else: the buffer
--- follows it as soon as it may.
---@param bufnr integer
---@param on_end? fun(spent: number, is_restless: boolean) called once, if there was such a write
---@return claude_ide.ExpectedWrite? write nil if there was none
function M.notice(bufnr, on_end)
  local stamp = M.unknown(bufnr)
  if not stamp or file_write.is_too_large(bufnr) then
    return nil
  end
  local write = wait_for(bufnr, { stamp = '', lines = lines_of(bufnr) })
  write.is_unannounced = true
  if file_write.has_unread_change(bufnr) or file_write.is_in_conflict(bufnr) then
    write.seen, write.seen_at = stamp, milliseconds()
    write.on_end = on_end
    return write
  end
  known[bufnr] = stamp
  expected.forget(write)
end

local function may_be_noticed(bufnr)
  return not vim.bo[bufnr].modified and not is_in_use(bufnr) and M.is_followed(bufnr)
end

local function sync(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return false
  end
  local write = expected.of(bufnr) or may_be_noticed(bufnr) and M.notice(bufnr) or nil
  return write ~= nil and expected.news(write) ~= nil and not keeps(write) and take(write)
end

local function suspects()
  local all = disk_watch.suspects()
  return all and vim.tbl_keys(vim.tbl_extend('force', all, expected.all()))
    or vim.api.nvim_list_bufs()
end

local function sync_suspect(bufnr)
  local is_changed = sync(bufnr)
  if not M.unknown(bufnr) or not M.is_followed(bufnr) then
    disk_watch.clear(bufnr)
  end
  return is_changed
end

--- Have loaded buffers show now what has been written to their files.
---@return integer[] bufnrs of those that did
function M.sync()
  return moment.is_possible() and vim.tbl_filter(sync_suspect, suspects()) or {}
end

--- Have one buffer show now what has been written to its file.
---@param bufnr integer
---@return boolean is_changed
function M.sync_one(bufnr)
  return moment.is_possible() and sync(bufnr)
end

return M
