--- Updates buffers after Claude or another program has written their files, without asking the user. The host
--- notices the writes, and says when a file is no longer being written (`disk_watch.py`). Until a write is
--- handled, Neovim neither reloads the buffer automatically nor asks the user about it.
local announced = require('claude_ide.disk_changes.announced')
local buffers = require('claude_ide.file.buffers')
local change = require('claude_ide.disk_changes.change')
local disk = require('claude_ide.file.disk')
local disk_report = require('claude_ide.disk_changes.report')
local file = require('claude_ide.file.path')
local file_edit = require('claude_ide.file.edit')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local rebase = require('claude_ide.file.rebase')
local written = require('claude_ide.diagnostics.written')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_disk_reload', { clear = true })

--- Milliseconds for which a write is expected.
M.comes_within = 10000

-- Milliseconds.
local REFUSED_WITHIN = 1000
local BUSY = 100

local MISSING = disk.MISSING
local OVERTAKEN = '' -- in `known`: the file was written again while the buffer was updated

---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? string[] the text that the buffer's unsaved changes are based on, if known

---@class claude_ide.ExpectedWrite
---@field bufnr integer
---@field saved claude_ide.SavedText the state of the file before the write
---@field deadline? number time of libuv, in milliseconds
---@field autocmds integer[]
---@field is_unannounced? boolean it was found on disk, and is not that of an accepted diff

local expected = {} ---@type table<integer, claude_ide.ExpectedWrite> by buffer
---@type table<integer, string> by buffer; the stamp of the file in the state that Neovim knows
local known = {}

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

-- The text that a buffer's unsaved changes are based on: that on disk, unless it has changed since.
local function saved_lines(bufnr)
  if not moment.is_possible() or disk.has_changed(bufnr) then
    return nil
  end
  local text = file_edit.read(bufnr)
  return file_edit.in_buffer(text and text.lines or {})
end

-- The state of a loaded buffer's file. The lines of an `earlier` one also serve as the base: buffer and file
-- derive from it.
---@return claude_ide.SavedText
local function saved_of(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = lines_of(bufnr)
  elseif earlier then
    lines = earlier.lines
  else
    lines = saved_lines(bufnr)
  end
  return { stamp = disk.stamp_of(bufnr), lines = lines }
end

--- The current state of a file, for a write that is expected later.
---@param path string
---@return claude_ide.SavedText
function M.saved(path)
  local bufnr = buffers.loaded(path)
  return bufnr and saved_of(bufnr) or { stamp = disk.stamp(path) }
end

-- The file's stamp, if the file has been written.
local function new_stamp(write)
  local present = disk.stamp_of(write.bufnr)
  return present ~= write.saved.stamp and present ~= MISSING and present or nil
end

-- What Neovim does when it finds that the file has changed: its own choice for a write that is not expected.
local function choose(write)
  if new_stamp(write) or disk.stamp_of(write.bufnr) == MISSING then
    return write.saved.lines and '' or 'ask'
  end
  local is_reloaded = disk.is_autoread(write.bufnr) and not vim.bo[write.bufnr].modified
  return vim.v.fcs_choice ~= '' and vim.v.fcs_choice or is_reloaded and 'reload' or 'ask'
end

-- Keep Neovim from handling a write: an autocommand, or a change of focus, may run `:checktime` at any time.
---@return claude_ide.ExpectedWrite
local function take_control(bufnr, saved)
  local write = { bufnr = bufnr, saved = saved }
  expected[bufnr] = write
  disk.suspend_autoread(bufnr)
  write.autocmds = {
    disk.answer_change(bufnr, function()
      return choose(write)
    end),
    vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
      group = augroup,
      buffer = bufnr,
      callback = function(event)
        -- `:write other.txt` writes another file.
        if vim.fn.fnamemodify(event.match, ':p') == vim.api.nvim_buf_get_name(bufnr) then
          write.saved = saved_of(bufnr, write.saved)
        end
      end,
    }),
  }
  return write
end

-- Neovim handles changes of the file again.
local function forget(write)
  expected[write.bufnr] = nil
  if vim.api.nvim_buf_is_valid(write.bufnr) then
    for _, id in ipairs(write.autocmds) do
      pcall(vim.api.nvim_del_autocmd, id)
    end
  end
  disk.resume_autoread(write.bufnr)
end

--- Expect no write to a buffer's file: the buffer must not follow what a failed write of its own has left.
---@param bufnr integer
function M.expect_nothing(bufnr)
  if expected[bufnr] then
    forget(expected[bufnr])
  end
end

--- The host, which notices writes, has ended.
function M.host_ended()
  vim.iter(vim.tbl_values(expected)):each(forget)
end

--- Whether a write to a buffer's file is expected or being followed.
---@param bufnr integer
---@return boolean
function M.is_expected(bufnr)
  return expected[bufnr] ~= nil
end

--- Whether the user has seen or expects the next write to a buffer's file.
---@param bufnr integer
---@return boolean
function M.is_accepted(bufnr)
  local write = expected[bufnr]
  return write ~= nil and not write.is_unannounced
end

-- Whether a buffer is updated after a write that was not announced: always if the write is Claude's,
-- otherwise if 'autoread' is on.
local function is_followed(bufnr)
  return disk.is_autoread(bufnr) or announced.has(vim.api.nvim_buf_get_name(bufnr))
end

-- The stamp of a buffer's file, if Neovim may not know the file in its current state.
local function unknown_stamp(bufnr)
  local path = file.path(bufnr)
  local stamp = path and disk.stamp(path) or MISSING
  return stamp ~= MISSING and stamp ~= known[bufnr] and stamp or nil
end

--- Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
--- unsaved changes to an earlier text.
---@param bufnr integer
---@return boolean
function M.is_behind(bufnr)
  return disk.is_in_conflict(bufnr) or (unknown_stamp(bufnr) ~= nil and disk.has_other_time(bufnr))
end

-- Once the user has undone their changes, the buffer can be updated.
local function check_when_unmodified(bufnr)
  local group = vim.api.nvim_create_augroup('claude_ide_disk_change_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufModifiedSet', 'BufUnload' }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.event == 'BufUnload' or not disk.is_in_conflict(bufnr) then
        vim.api.nvim_del_augroup_by_id(group)
      elseif not vim.bo[bufnr].modified then
        vim.api.nvim_del_augroup_by_id(group)
        known[bufnr] = nil
        change.look_again(bufnr)
      end
    end,
  })
end

-- Leave a buffer with unsaved changes as it is. Only for an accepted diff, they are reapplied.
---@param write? claude_ide.ExpectedWrite of which Neovim already knows
local function keep(bufnr, write)
  known[bufnr] = disk.stamp_of(bufnr)
  if write then
    forget(write)
    disk.remember_conflict(bufnr)
  end
  if write or disk.notice_conflict(bufnr) then
    disk_report.kept(vim.api.nvim_buf_get_name(bufnr))
  end
  check_when_unmodified(bufnr)
end

-- Have Neovim read a file again that a plugin makes the text of.
---@return 'busy'|'followed'|''
local function reread(bufnr, stamp)
  if not moment.may_change(bufnr) then
    return 'busy'
  end
  local before = disk_report.before(bufnr)
  known[bufnr] = stamp
  disk.reread(bufnr)
  if not disk_report.followed(bufnr, before) then
    return ''
  end
  written.report(bufnr)
  return 'followed'
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
  local lines, has_conflict = rebase.merge(saved, lines_of(bufnr), theirs)
  file_edit.adopt(bufnr, text, lines)
  return has_conflict and 'your unsaved changes to the same lines are one undo away' or nil
end

local function reload(write, text)
  local ok, notice = pcall(apply, write, text)
  forget(write)
  if not ok then
    notice = ('cannot be reloaded: %s'):format(notice)
  end
  if notice then
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(write.bufnr))
    message.show(('%s: %s'):format(name, notice), 'warn')
  end
  return ok and write.saved.lines ~= nil
end

-- Report the new text of a buffer; return whether it differs from the previous one.
local function report_change(write, before)
  if before then
    return disk_report.followed(write.bufnr, before)
  end
  disk_report.accepted(write.bufnr)
  return true
end

-- Update the buffer from the disk, if the file still has the stamp.
---@param write claude_ide.ExpectedWrite
---@param stamp string
---@return 'busy'|'followed'|''
local function update(write, stamp)
  local bufnr = write.bufnr
  local path, text = vim.api.nvim_buf_get_name(bufnr), file_edit.read(bufnr)
  if disk.stamp(path) ~= stamp then
    return 'busy'
  elseif not text then
    forget(write)
    return ''
  end
  local before = write.is_unannounced and disk_report.before(bufnr)
  if not reload(write, text) then
    return ''
  end
  known[bufnr] = OVERTAKEN
  if disk.stamp(path) == stamp then
    known[bufnr] = stamp
    disk.mark_read(bufnr)
  end
  if report_change(write, before) then
    written.report(bufnr)
  end
  return 'followed'
end

-- Whether a file has changed of which no write is expected. Neovim must not reload the buffer meanwhile. It
-- regards two writes as one if the buffer was updated in between.
---@return claude_ide.ExpectedWrite? write nil if it has not
local function notice(bufnr, stamp)
  local write = take_control(bufnr, { stamp = '', lines = lines_of(bufnr) })
  write.is_unannounced = true
  local is_overtaken = known[bufnr] == OVERTAKEN
  if is_overtaken or disk.has_unread_change(bufnr) or disk.is_in_conflict(bufnr) then
    return write
  end
  known[bufnr] = stamp
  forget(write)
end

-- Have a buffer follow its file, which is no longer being written if it still has the stamp `settled`.
---@param bufnr integer loaded
---@param settled? string
---@return 'busy'|'followed'|''
local function follow(bufnr, settled)
  local write = expected[bufnr]
  local stamp
  if write then
    stamp = new_stamp(write)
  else
    stamp = is_followed(bufnr) and unknown_stamp(bufnr)
  end
  if not stamp or not write and disk.is_too_large(bufnr) then
    return ''
  elseif settled and stamp ~= settled then
    return 'busy'
  elseif not settled and not write and (vim.bo[bufnr].modified or moment.is_in_use(bufnr)) then
    return ''
  elseif vim.bo[bufnr].modified and not (write and not write.is_unannounced) then
    keep(bufnr, write)
    return ''
  elseif not write and file_edit.is_translated(bufnr) then
    return settled and reread(bufnr, stamp) or ''
  end
  write = write or notice(bufnr, stamp)
  if not write then
    return ''
  elseif not moment.may_change(bufnr) or (not settled and disk.is_of_empty(stamp)) then
    return 'busy'
  end
  return update(write, stamp)
end

--- Have buffers follow their files, which have changed and are no longer being written. The host calls this.
---@param files { [1]: integer, [2]: string }[] buffers, and the stamps of their files
---@return ('busy'|'followed'|'')[] states 'busy': call again later
function M.changed_in(files)
  return vim.tbl_map(function(each)
    local bufnr, settled = unpack(each)
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      return ''
    elseif not moment.is_possible() then
      return 'busy'
    end
    local ok, state = pcall(follow, bufnr, settled)
    if not ok then
      message.show(tostring(state), 'error')
    end
    return ok and state or ''
  end, files)
end

--- Update one buffer now, if its file has been written.
---@param bufnr integer
---@return boolean is_changed
function M.sync_one(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and moment.is_possible() and follow(bufnr) == 'followed'
end

--- Update all loaded buffers whose files have been written, now.
---@return integer[] bufnrs of those that have changed
function M.sync()
  return vim.tbl_filter(M.sync_one, vim.api.nvim_list_bufs())
end

-- Another program may have written the file before the write was expected: then the host has to look again.
local function expire(write)
  local bufnr, left = write.bufnr, write.deadline - vim.uv.now()
  if expected[bufnr] ~= write then
    return
  elseif vim.api.nvim_buf_is_loaded(bufnr) and (left > 0 or new_stamp(write)) then
    vim.defer_fn(function()
      expire(write)
    end, math.max(left, BUSY))
  else
    forget(write)
    change.look_again(bufnr)
  end
end

local function expect(path, earlier)
  local bufnr = buffers.loaded(path)
  if not bufnr or file_edit.is_translated(bufnr) then
    return
  end
  local write = expected[bufnr] or take_control(bufnr, saved_of(bufnr, earlier))
  write.is_unannounced = nil
  -- Another program may have written the file just before: then the agent may refuse to write.
  local is_behind = unknown_stamp(bufnr) and disk.has_other_time(bufnr)
  write.deadline = vim.uv.now() + (is_behind and REFUSED_WITHIN or M.comes_within)
  expire(write)
  return write
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
  local write = expect(path, saved)
  if write and saved.stamp ~= disk.stamp_of(write.bufnr) then
    -- An unmodified buffer still has that text.
    local is_kept = not saved.lines and not vim.bo[write.bufnr].modified
    local lines = is_kept and lines_of(write.bufnr) or saved.lines
    write.saved = { stamp = saved.stamp, lines = lines }
    change.look_again(write.bufnr)
  end
end

return M
